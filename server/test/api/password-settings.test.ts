import { describe, expect, test } from 'vitest';
import { invalidWith, POLICIES } from '../support/policies.ts';
import { useService } from '../support/use-service.ts';

const { org } = useService();

describe('settings are refused', () => {
  test.each([
    [{ password: { complexity: { minLength: 3 } } }, 'settings.password.complexity.minLength'],
    [{ password: { complexity: { minLength: 73 } } }, 'settings.password.complexity.minLength'],
    [{ password: { complexity: { minSymbol: true } } }, 'settings.password.complexity.minSymbol'],
    [
      { password: { complexity: { excludeAttributes: ['email'] } } },
      'settings.password.complexity.excludeAttributes[0]',
    ],
    [
      { password: { complexity: { maxConsecutiveCharacters: 0 } } },
      'settings.password.complexity.maxConsecutiveCharacters',
    ],
    [{ password: { complexity: { oelStatement: 'x' } } }, 'settings.password.complexity.oelStatement'],
    [{ password: { age: { historyCount: 31 } } }, 'settings.password.age.historyCount'],
    [{ password: { age: { maxAgeDays: 5, expireWarnDays: 6 } } }, 'settings.password.age.expireWarnDays'],
    [{ password: { age: { maxAgeDays: 1, minAgeMinutes: 1_440 } } }, 'settings.password.age.minAgeMinutes'],
    [{ password: { lockout: { maxAttempts: 101 } } }, 'settings.password.lockout.maxAttempts'],
    [
      { password: { lockout: { userLockoutNotificationChannels: ['SMS'] } } },
      'settings.password.lockout.userLockoutNotificationChannels[0]',
    ],
    [
      { password: { breachedProtection: { expireAfterDays: 5 } } },
      'settings.password.breachedProtection.expireAfterDays',
    ],
    [{ password: { other: {} } }, 'settings.password.other'],
    [
      { recovery: { factors: { svc_email: { properties: { recoveryToken: { tokenLifetimeMinutes: 20_161 } } } } } },
      'settings.recovery.factors.svc_email.properties.recoveryToken.tokenLifetimeMinutes',
    ],
    [{ recovery: { factors: { okta_email: { status: 'ACTIVE' } } } }, 'settings.recovery.factors.okta_email'],
  ])('%j', async (settings, place) => {
    const refused = await org.admin.post(POLICIES, { body: { type: 'PASSWORD', name: 'Refused', settings } });
    expect(refused).toMatchObject(invalidWith(`${place}: `));
  });

  test('all of them at once', async () => {
    const settings = {
      password: {
        complexity: { minLength: 3, minNumber: 'x' },
        lockout: { maxAttempts: -1 },
        age: { maxAgeDays: 1.5 },
      },
      delegation: { options: { skipUnlock: 'no' } },
    };
    const refused = await org.admin.post(POLICIES, { body: { type: 'PASSWORD', name: 'Refused', settings } });
    expect(refused.body.errorCauses).toHaveLength(5);
  });
});
