import { combined } from '../../base/observe/combined.ts';
import type { Observer } from '../../base/observe/observer.ts';
import type { Config } from '../../config/config.ts';
import { METRICS_HOST } from '../../config/settings/metrics.ts';
import type { WorkerConnection } from '../workers/messages.ts';
import type { OwnPort, RoleMetrics } from './endpoint.ts';
import type { MetricSources } from './sources.ts';

/** The metrics and the traces, as far as they are configured. */
export interface Telemetry {
  /** Adds their observers to that of the log. */
  readonly observing: (requestLog: Observer) => Observer;
  /** Left out where the gateway's own port does not serve the metrics. */
  readonly metrics: RoleMetrics | undefined;
  /** Null where the metrics have no port of their own. */
  readonly ownPort: { readonly address: OwnPort; readonly text: () => Promise<string> } | null;
  readonly warnings: readonly string[];
}

/** Opens what is configured; the packages of the rest are not loaded. @param isDataclass whether a name is one of the model's dataclasses */
export async function openTelemetry(
  { metrics, traces, database, locate }: Config,
  sources: MetricSources,
  isDataclass: (name: string) => boolean,
  worker: WorkerConnection | null,
): Promise<Telemetry> {
  const observers: Observer[] = [];
  const warnings: string[] = [];
  const measured =
    metrics === undefined
      ? null
      : new (await import('./metrics.ts')).Metrics(sources, isDataclass, worker);
  if (measured !== null) observers.push(measured.observe);
  if (traces) {
    const { isSdkRegistered, requestTraces } = await import('./traces.ts');
    const system = database.engine === 'sqlserver' ? 'microsoft.sql_server' : 'postgresql';
    if (isSdkRegistered()) observers.push(requestTraces(system));
    else {
      warnings.push(
        'traces is true, and no OpenTelemetry SDK is registered, so that no spans are recorded: start the process with node --import and a module that registers one',
      );
    }
  }
  const text = (): Promise<string> => measured?.text() ?? Promise.resolve('');
  const { port, host = METRICS_HOST, role } = metrics ?? {};
  return {
    observing: (requestLog) => combined([requestLog, ...observers]),
    metrics: role === undefined ? undefined : { role, text },
    ownPort: port === undefined ? null : { address: { host, port, locate }, text },
    warnings,
  };
}
