import { createHmac } from 'node:crypto';

/** Signs a delivery with HMAC-SHA256. Returns `t=<seconds>,v1=<hex>`. */
export function signDelivery(
  secret: string,
  delivery: { readonly id: string; readonly body: string; readonly at: Date },
) {
  const seconds = Math.floor(delivery.at.getTime() / 1_000);
  const mac = createHmac('sha256', secret).update(`${seconds}.${delivery.id}.${delivery.body}`).digest('hex');
  return `t=${seconds},v1=${mac}`;
}
