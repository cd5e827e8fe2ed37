import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * A port that nothing listens at, for a program that has to be told its port, or is to be started again at the same one. It is below those that systems give to connections
 * and to servers that ask for any port: none of those takes it in the meantime.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(15_000, 32_000);
    const server = createServer();
    try {
      await once(server.listen(port, '127.0.0.1'), 'listening');
    } catch {
      continue;
    }
    server.close();
    await once(server, 'close');
    return port;
  }
}
