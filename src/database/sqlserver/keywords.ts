import { nameHint } from '../../base/names.ts';
import { fieldsIn } from '../../config/settings/connection-string.ts';
import { isSecretName } from '../../base/secret-names.ts';

type Check = 'text' | 'boolean' | 'seconds' | 'count' | RegExp;

const ENCRYPT = /^(?:true|false|yes|no|mandatory|optional|strict)$/i;
const INTEGRATED = /^(?:true|false|yes|no|sspi)$/i;
const INTENT = /^read(?:only|write)$/i;
const AUTHENTICATION =
  /^(?:sql ?password|active ?directory ?(?:default|workload ?identity|msi|managed ?identity|service ?principal|password|interactive|device ?code ?flow))$/i;

/** The keywords that the gateway takes, by the names that ADO.NET and ODBC have for them, and what their values are. */
const TAKEN: readonly (readonly [names: readonly string[], check: Check])[] = [
  [['Server', 'Data Source', 'Addr', 'Address', 'Network Address'], 'text'],
  [['Database', 'Initial Catalog'], 'text'],
  [['User Id', 'Uid', 'User'], 'text'],
  [['Password', 'Pwd'], 'text'],
  [['Encrypt'], ENCRYPT],
  [['TrustServerCertificate', 'Trust Server Certificate'], 'boolean'],
  [['HostNameInCertificate', 'Host Name In Certificate'], 'text'],
  [['ApplicationIntent', 'Application Intent'], INTENT],
  [['Authentication'], AUTHENTICATION],
  [['Integrated Security', 'Trusted_Connection'], INTEGRATED],
  [['Client Id', 'Client Secret', 'Tenant Id', 'Token', 'Msi Endpoint', 'Msi Secret'], 'text'],
  [['Application Name', 'App', 'Workstation Id', 'Wsid', 'Current Language', 'Language'], 'text'],
  [['Packet Size', 'Max Pool Size'], 'count'],
  [['Connect Timeout', 'Connection Timeout', 'Timeout', 'Command Timeout'], 'seconds'],
  [['MultiSubnetFailover', 'Multi Subnet Failover'], 'boolean'],
];

/** Keywords that change nothing here, whatever they say. */
const HARMLESS: readonly string[] = [
  'Driver',
  'MultipleActiveResultSets',
  'Multiple Active Result Sets',
  'MARS_Connection',
  'Persist Security Info',
  'PersistSecurityInfo',
  'Pooling',
  'Min Pool Size',
  'Connection Lifetime',
  'Load Balance Timeout',
  'Connection Reset',
  'ConnectRetryCount',
  'Connect Retry Count',
  'ConnectRetryInterval',
  'Connect Retry Interval',
  'Enlist',
  'Asynchronous Processing',
  'Async',
  'Failover Partner',
  'PoolBlockingPeriod',
  'Pool Blocking Period',
  'TransparentNetworkIPResolution',
  'Type System Version',
];

const CHECKS: ReadonlyMap<string, Check> = new Map([
  ...HARMLESS.map((name) => [name.toLowerCase(), 'text'] as const),
  ...TAKEN.flatMap(([names, check]) => names.map((name) => [name.toLowerCase(), check] as const)),
]);

/**
 * Looks at every keyword of a connection string and at its value, so that nothing is passed over in silence.
 * @throws TypeError for one that is not known or cannot be read; what may be a part of a secret is not repeated
 */
export function checkKeywords(text: string): void {
  const { fields, rest } = fieldsIn(text);
  if (rest) {
    throw new TypeError(
      'a part of the connection string is no Keyword=value; a value with a ; in it needs quotes: Password="…"',
    );
  }
  for (const [index, { name, value }] of fields.entries()) {
    const check = CHECKS.get(name.toLowerCase());
    if (check === undefined) {
      const before = fields[index - 1]?.name ?? '';
      if (isSecretName(before)) {
        throw new TypeError(
          `what follows ${before} is no keyword; a value with a ; in it needs quotes: ${before}="…"`,
        );
      }
      const known = [...TAKEN.flatMap(([names]) => names), ...HARMLESS];
      throw new TypeError(`there is no keyword ${name}.${nameHint(name, known)}`);
    }
    const expected = complaint(check, value);
    if (expected !== null) throw new TypeError(`${name}=${value}: expected ${expected}`);
  }
}

/** What a value should have been, or null where it is. */
function complaint(check: Check, value: string): string | null {
  switch (check) {
    case 'text':
      return null;
    case 'boolean':
      return /^(?:true|false|yes|no)$/i.test(value) ? null : 'true or false';
    case 'seconds':
      return /^\d{1,9}$/.test(value) ? null : 'a whole number of seconds';
    case 'count':
      return /^0*[1-9]\d{0,8}$/.test(value) ? null : 'a whole number from 1 on';
    default:
      return check.test(value) ? null : (EXPECTED.get(check) ?? 'another value');
  }
}

const EXPECTED: ReadonlyMap<RegExp, string> = new Map([
  [ENCRYPT, 'true, false, strict, Mandatory or Optional'],
  [INTEGRATED, 'true, false or SSPI'],
  [INTENT, 'ReadOnly or ReadWrite'],
  [
    AUTHENTICATION,
    'Sql Password or Active Directory Default, Managed Identity, Service Principal or Password',
  ],
]);
