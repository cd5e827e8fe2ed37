import { isIP } from 'node:net';
import { z } from 'zod';
import { flag, integer, matching, reporting, text } from './fields.ts';
import { defaultLimits } from '../../base/limits.ts';

/** Standard output, as a target of the audit log. */
export const STDOUT = 'stdout';

const member = matching(
  /^[^.]+\.[^.]+$/,
  'names no attribute: expected a dataclass and an attribute or relation of it, such as Employee.salary',
);

export const auditSetting = z
  .strictObject({
    to: text.describe(
      'stdout, or the file that a line is appended to for each entity that is written.',
    ),
    values: z
      .union([z.enum(['none', 'all']), z.array(member)])
      .default('none')
      .describe(
        'Whose values the log holds, before and after: none, all, or a list of attributes and relations, such as Employee.salary.',
      ),
    required: flag(false).describe(
      'Nothing is written to the database while the audit log cannot be written.',
    ),
  })
  .optional()
  .describe('An audit log of what is created, updated and deleted; left out, there is none.');

export type AuditSetting = Exclude<z.output<typeof auditSetting>, undefined>;

/** `images:` of `config.yaml`: limits of the conversion of one image to another format. */
export const imageSettings = z.strictObject({
  maxPixels: integer(1, 268_402_689)
    .default(64_000_000)
    .describe('The largest image to convert, in pixels.'),
  maxBytes: integer(1024, 1_073_741_824)
    .default(67_108_864)
    .describe('The largest image to convert, in stored bytes.'),
  timeoutSeconds: integer(1, 3600).default(15).describe('How long a conversion may take.'),
  concurrency: integer(1, 64)
    .default(2)
    .describe('How many images are converted at once; others wait.'),
});

/** A port to listen on, or to connect to. */
export const port = integer(0, 65_535);

/** A host name: labels of letters, digits and hyphens (RFC 1123, 2.1), and underscores, as in names of containers. */
const HOST_NAME = /^(?=.{1,253}$)\w(?:[\w-]*\w)?(?:\.\w(?:[\w-]*\w)?)*$/;

const tlsSettings = z.strictObject({
  certificate: text.describe(
    'The certificate’s PEM file, with intermediate certificates after it.',
  ),
  key: text.describe('The file of its private key in PEM form.'),
  passphrase: text.optional().describe('The passphrase of the private key.'),
  minVersion: z
    .enum(['TLSv1.2', 'TLSv1.3'])
    .default('TLSv1.2')
    .describe('The oldest version of TLS that clients may use.'),
});

/** `server:` of `config.yaml`: where the gateway listens, and how it is reached. */
export const serverSettings = z.strictObject({
  host: text
    .default('127.0.0.1')
    .describe('The address to listen on; 0.0.0.0 for all. Other machines need authentication.'),
  port: port.default(8080).describe('The port to listen on; 0 for any free one.'),
  allowUnauthenticated: flag(false).describe(
    'Listen beyond this machine without authentication: everyone who reaches the port may read and write.',
  ),
  hosts: z
    .array(
      matching(
        HOST_NAME,
        'is not a name of a host: expected one such as gateway.example.com, without port',
      ),
    )
    .default([])
    .describe(
      'The host names of the gateway. Without authentication, others are refused, except localhost and IP addresses.',
    ),
  publicUrl: z
    .string()
    .refine(isAddress, 'is not an address: expected one such as https://erp.example.com/api')
    .transform((url) => new URL(url).href.replace(/\/+$/, ''))
    .optional()
    .describe(
      'The address by which clients reach the gateway, where a proxy has another name, port or path than requests say.',
    ),
  trustedProxies: z
    .array(
      z
        .string()
        .refine(
          isNetwork,
          'is not an address and no network: expected one such as 10.0.0.1 or 10.0.0.0/8',
        ),
    )
    .default([])
    .describe('The proxies whose X-Forwarded headers are trusted.'),
  tls: tlsSettings.optional().describe('Serve HTTPS in place of HTTP.'),
  shutdownSeconds: z
    .number()
    .nonnegative()
    .default(10)
    .describe('How long requests in flight may take to finish when the gateway is stopped.'),
  workers: z
    .union([integer(1, 256), z.literal('auto')])
    .default(1)
    .describe(
      'How many processes serve the port, if more than one then with state.url; auto for one per core. The embedded database has one.',
    ),
  onMismatch: z
    .enum(['stop', 'leaveOut'])
    .default('stop')
    .describe(
      'What happens at the start, and at a reload, where mapping files, roles or reports do not fit the database: nothing is served, or all but those dataclasses and functions, which are error 9022, and reports.',
    ),
  watch: flag(false).describe(
    'Read configuration, mapping files, reports, users and schema again when a file changes.',
  ),
  maxHeaderBytes: integer(8192, 1_048_576)
    .default(65_536)
    .describe('The longest URL and headers together; longer ones are error 9009.'),
  maxBodyBytes: integer(1024, 1_073_741_824)
    .default(16_777_216)
    .describe('The largest body of a request; larger ones are error 9005.'),
  compression: flag(true).describe('Compress long answers for clients that ask for it.'),
  createdStatus: z
    .union([z.literal(200), z.literal(201)])
    .default(200)
    .describe(
      'The status of an answer with one new entity; 201 comes with a Location header. Clients of the protocol expect 200.',
    ),
});

/** `explorer:` of `config.yaml`: the web application for looking at the data. */
export const explorerSettings = z.strictObject({
  enabled: z
    .boolean()
    .optional()
    .describe(
      'Serve the explorer at /explore/. Default: if the gateway listens on this machine alone.',
    ),
});

/** `limits:` of `config.yaml`: how much one client, and one request, may ask for. */
export const limitSettings = z.strictObject({
  requestsPerMinute: integer(1, 10_000_000)
    .optional()
    .describe('How many requests an address may send per minute; more are error 9028.'),
  maxTop: integer(1, 100_000_000)
    .default(defaultLimits.maxTop)
    .describe('The largest $top, and the most values of $distinct.'),
  beyondMaxTop: z
    .enum(['refuse', 'shorten'])
    .default(defaultLimits.beyondMaxTop)
    .describe(
      'A larger $top is refused, or shortened to maxTop: __COUNT then says that there are more, bare arrays and $distinct do not.',
    ),
  maxEntities: integer(1, 1_000_000)
    .default(defaultLimits.maxEntities)
    .describe('How many objects a body may hold, nested ones included; more are refused.'),
  maxFilterComparisons: integer(1, 500)
    .default(defaultLimits.maxFilterComparisons)
    .describe(
      'How many comparisons one filter may hold; more than 500 are too much for an engine.',
    ),
  maxGroups: integer(1, 1_000_000)
    .default(defaultLimits.maxGroups)
    .describe('How many groups an answer to $groupby may have; more are error 9012.'),
  maxExpandDepth: integer(1, 20)
    .default(defaultLimits.maxExpandDepth)
    .describe('How many relations a path may go over.'),
  maxUrlBytes: integer(256, 1_048_576)
    .optional()
    .describe(
      'The longest URL; longer ones are error 9030. Default: as server.maxHeaderBytes allows.',
    ),
});

/** `cors:` of `config.yaml`: which web pages may call the gateway from another origin. */
export const corsSettings = z
  .strictObject({
    origins: z
      .array(
        z.string().refine(isOrigin, {
          error: ({ input }) =>
            `is not an origin: expected scheme and host as browsers send them, such as https://app.example.com${nearestOrigin(String(input))}`,
        }),
      )
      .min(1)
      .describe('The origins of the pages: https://app.example.com, or * alone for all.'),
    credentials: flag(false).describe(
      'Whether the pages may send cookies and credentials that the browser keeps.',
    ),
    maxAgeSeconds: integer(0, 86_400)
      .default(600)
      .describe('How long browsers may cache preflight answers.'),
  })
  .superRefine(
    reporting(function* ({ origins, credentials }) {
      const index = origins.indexOf('*');
      if (index < 0) return;
      const path = ['origins', index];
      if (origins.length > 1) {
        yield { path, message: '"*" stands for all origins: it stands alone' };
      } else if (credentials) {
        yield { path, message: 'cors.credentials needs named origins: "*" is not allowed with it' };
      }
    }),
  );

function isAddress(text: string): boolean {
  if (!/^https?:\/\/[^?#\s]+$/.test(text) || !URL.canParse(text)) return false;
  const { username, password } = new URL(text);
  return username === '' && password === '';
}

function isNetwork(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/');
  const family = isIP(address);
  if (family === 0 || more.length > 0) return false;
  if (bits === undefined) return true;
  // Zero bits would trust everybody.
  return /^\d{1,3}$/.test(bits) && Number(bits) >= 1 && Number(bits) <= (family === 4 ? 32 : 128);
}

/** Whether a text is an origin as browsers write it: without path and default port, in lower case; apps have schemes of their own. */
function isOrigin(text: string): boolean {
  if (text === '*') return true;
  if (!/^[a-z][a-z\d+.-]*:\/\/[^/?#@\s*]+$/.test(text) || !URL.canParse(text)) return false;
  const { origin } = new URL(text);
  return origin === text || (origin === 'null' && !/[A-Z]/.test(text));
}

function nearestOrigin(text: string): string {
  if (!URL.canParse(text)) return '';
  const { origin } = new URL(text);
  return origin === 'null' || origin === text ? '' : `. Did you mean ${origin}?`;
}
