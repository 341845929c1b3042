import { createHmac } from 'node:crypto';

/**
 * `t=<seconds>,v1=<hex>`: HMAC-SHA256, keyed by the hook's secret, over the time, the id of the delivery and its body.
 * A receiver that refuses old times and known ids accepts every delivery once, and no forged one.
 */
export function signDelivery(
  secret: string,
  delivery: { readonly id: string; readonly body: string; readonly at: Date },
) {
  const seconds = Math.floor(delivery.at.getTime() / 1_000);
  const mac = createHmac('sha256', secret).update(`${seconds}.${delivery.id}.${delivery.body}`).digest('hex');
  return `t=${seconds},v1=${mac}`;
}
