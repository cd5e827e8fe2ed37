import { z } from 'zod';
import { overlapProblems, reporting, type SettingProblem, text } from './fields.ts';
import { port } from './server.ts';

/** The path of the metrics, on their own port and on the gateway's. */
export const METRICS_PATH = '/metrics';

/** The address of the metrics' own port where the configuration names none. */
export const METRICS_HOST = '127.0.0.1';

/** `metrics:` of `config.yaml`: where Prometheus gets the gateway's metrics. */
export const metricsSetting = z
  .strictObject({
    port: port
      .optional()
      .describe('A port of their own, open to everyone who reaches it. Either this or role.'),
    host: text.optional().describe('The address of metrics.port; 127.0.0.1 by default.'),
    role: text
      .optional()
      .describe(
        'Serve metrics at /metrics of the gateway’s port, to users with this role and administrators.',
      ),
  })
  .superRefine(
    reporting(function* (setting) {
      const { port: own, host, role } = setting;
      if ((own === undefined) === (role === undefined)) {
        const what = own === undefined ? 'says neither' : 'says both';
        const message = `${what} on which port the metrics are served, and to which role: expected either port or role`;
        yield { path: [], message };
      }
      if (host !== undefined && own === undefined) {
        yield { path: ['host'], message: 'is not used without metrics.port' };
      }
    }),
  )
  .optional()
  .describe('Metrics for Prometheus at /metrics; left out, there are none.');

interface SettingsBeside {
  readonly metrics?: z.output<typeof metricsSetting>;
  readonly server: { readonly port: number };
  readonly authentication?: object | undefined;
  readonly proxy: readonly { readonly prefix: string }[];
}

/** Finds what in `metrics` contradicts the rest of the configuration. */
export function* metricsProblems({
  metrics,
  server,
  authentication,
  proxy,
}: SettingsBeside): Generator<SettingProblem> {
  if (metrics === undefined) return;
  if (metrics.port !== undefined && metrics.port !== 0 && metrics.port === server.port) {
    const message = 'is server.port, too: give the metrics another one';
    yield { path: ['metrics', 'port'], message };
  }
  if (metrics.role === undefined) return;
  if (authentication === undefined) {
    const message =
      'without authentication there are no users: configure authentication, or serve the metrics on metrics.port';
    yield { path: ['metrics', 'role'], message };
  }
  yield* overlapProblems(proxy, METRICS_PATH, 'which metrics.role has served there');
}
