/** Loaded by `--import` before a program that is measured. Asked by a message, it answers how many milliseconds of the processor were used since it was asked last. */
import process from 'node:process';

let used = process.cpuUsage();

process.on('message', () => {
  const { user, system } = process.cpuUsage(used);
  used = process.cpuUsage();
  process.send?.((user + system) / 1000);
});
// It ends with who measures it, as on SIGTERM; and when it would without.
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
process.channel?.unref();
