/**
 * Loaded by `--import` before a program that is measured. Asked by a message, it answers what the process has used since it was asked last, and
 * how long its event loop was held up meanwhile.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import process from 'node:process';

const delay = monitorEventLoopDelay({ resolution: 5 });
delay.enable();
let used = process.cpuUsage();

process.on('message', (message) => {
  if (message !== 'usage') return;
  const { user, system } = process.cpuUsage(used);
  used = process.cpuUsage();
  const memory = process.memoryUsage.rss();
  const held = delay.count > 0 ? delay.percentile(99) / 1e6 - 5 : 0;
  delay.reset();
  process.send?.({
    cpuMilliseconds: (user + system) / 1000,
    memory,
    delay: Math.max(0, held),
  });
});
// It ends with who measures it, as on SIGTERM; and when it would without.
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
process.channel?.unref();
