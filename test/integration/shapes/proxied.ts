import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mirror } from '../../server/application.ts';
import type { Shape } from './engines.ts';
import { RAW } from './http.ts';
import { writeUsers } from './login.ts';
import { sample, settingsIn, withKeys } from './sample.ts';

interface Saying {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly text?: string;
}

/** Starts an application that answers what it was asked, at `/says` what the URL says, and at `/times` how often it was asked since that was asked last. */
async function startMirror(): Promise<string> {
  let times = 0;
  const server = createServer((request, response) => {
    const [path = '', said = ''] = request.url?.split('?') ?? [];
    if (path === '/times') {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(times));
      times = 0;
    } else {
      times += 1;
      if (path.endsWith('/says')) {
        const { status, headers, text } = JSON.parse(said) as Saying;
        response.writeHead(status, headers).end(text);
      } else mirror(request, response);
    }
  });
  // It ends with the process.
  await once(server.listen(0, '127.0.0.1').unref(), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const { apiKeys, users } = withKeys({
  'Zoë, 100%': { roles: ['clerk', 'reader'] },
  root: { roles: ['admin'] },
});
const none = { dataclasses: {} };

/** A gateway in front of an application, with a user whose name no header can hold, one with a password, and an administrator; it believes proxies on its own machine. */
export const shape: Shape = {
  ...sample,
  engines: ['pglite'],
  verbs: { RAW },
  users: {
    zoe: users['Zoë, 100%'] ?? {},
    root: users['root'] ?? {},
    wrong: { 'api-key': 'wrong' },
    ada: { authorization: `Basic ${btoa('ada:geheimwort')}` },
  },
  prepare: async (folder) => {
    const to = await startMirror();
    const renamed = { userHeader: 'Remote-User', rolesHeader: 'Remote-Groups' };
    return settingsIn({
      proxy: [
        { prefix: '/open', to },
        { prefix: '/plain', to, webSocket: false },
        { prefix: '/legacy', to: `${to}/app`, headers: { 'X-Secret': 'given' } },
        { prefix: '/host', to, preserveHost: true },
        { prefix: '/known', to, authentication: true },
        { prefix: '/clerks', to, authentication: ['clerk', 'boss'], ...renamed },
        { prefix: '/bosses', to, authentication: ['boss'] },
        { prefix: '/forwarding', to, authentication: true, forwardCredentials: true },
      ],
      authentication: { apiKeys, users: await writeUsers(folder, 'clerk') },
      roles: { boss: none, clerk: none, reader: none },
      cors: { origins: ['https://friend.example'], credentials: true },
      server: { port: 0, trustedProxies: ['127.0.0.1', '192.0.2.0/24'] },
    });
  },
};
