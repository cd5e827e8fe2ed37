import { cpus, loadavg } from 'node:os';

/** The processor and Node, as the figures of a run need them: no name of the machine. */
export function machine(): string {
  const all = cpus();
  const model = (all[0]?.model ?? 'unknown').trim();
  return `${all.length} cores (${model}), Node.js ${process.versions.node}`;
}

/** How many processes wanted the processor in the last minute, on average. */
export function load(): string {
  return (loadavg()[0] ?? 0).toFixed(1);
}
