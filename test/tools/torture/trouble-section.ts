import { setTimeout as sleep } from 'node:timers/promises';
import { cuttingProxy } from '../../integration/cutting-proxy.ts';
import { categories, Ledger, type Send } from '../../integration/ledger.ts';
import { HostileClient, type Reply, type Sent } from './client.ts';
import { type Outcome, Replies, type Trial } from './section.ts';
import { outcomeOf } from './regulars.ts';

/** What is wrong with connections: they are reset; nothing passes on them, and they are reset at the end; new ones are reset, too; all arrives late. */
type Trouble = 'none' | 'cut' | 'frozen' | 'away' | 'slow';

/** How late it is when it is slow, in milliseconds. */
const DELAY = 150;

const WRITERS = 16;
const READERS = 16;

/** What the gateway is told to wait for: shorter than by default, so that time-outs are met within a short trial. */
interface Limits {
  readonly statementTimeoutSeconds: number;
  readonly connectTimeoutSeconds: number;
  readonly poolSize: number;
}

/** A new session of the T-SQL endpoint that stands in for SQL Server takes seconds for what it is asked first. */
const limitsOf: Readonly<Record<'postgres' | 'sqlserver', Limits>> = {
  postgres: { statementTimeoutSeconds: 3, connectTimeoutSeconds: 4, poolSize: 16 },
  sqlserver: { statementTimeoutSeconds: 8, connectTimeoutSeconds: 8, poolSize: 6 },
};

/** How long an engine may take to acknowledge that it gives a write up, in seconds; see docs/reference/configuration.md. */
const ACKNOWLEDGING = 5;

/** How long a trouble lasts, in milliseconds: a freeze longer than a statement may. */
function lasting(trouble: Trouble, { statementTimeoutSeconds }: Limits): number {
  switch (trouble) {
    case 'none':
      return 0;
    case 'cut':
      return 300;
    case 'away':
    case 'slow':
      return 4000;
    case 'frozen':
      return (statementTimeoutSeconds + ACKNOWLEDGING + 1) * 1000;
  }
}

/** How long the gateway may take to serve again behind it, in milliseconds: until what waits for nothing is over. */
function healing({ statementTimeoutSeconds, connectTimeoutSeconds }: Limits): number {
  return (statementTimeoutSeconds + connectTimeoutSeconds + ACKNOWLEDGING) * 1000;
}

/** How many reads one after the other have to be served for it to be healed. */
const HEALTHY = 3;

/** How requests may end while the database is in trouble. */
const expected = /^(?:200|50[034] \d+|409 (?:9021|1263))$/;

const READS: readonly Sent[] = [
  { method: 'GET', url: '/rest/Employee?$top=5&$attributes=ID,employer.name' },
  { method: 'GET', url: '/rest/Order?$filter="lines.quantity>3"&$top=20' },
  { method: 'GET', url: '/rest/Employee?$method=entityset&$top=1' },
];

/** Readers and writers, and a connection to the database that freezes, breaks, is refused and slow; and what was written meanwhile. */
export async function databaseInTrouble(trial: Trial): Promise<Outcome> {
  const { database, random, until } = trial;
  if (database.engine === 'pglite') {
    return { inputs: 0, held: 0, peak: null, also: 'in process: there is no connection to lose' };
  }
  const proxy = await cuttingProxy(database);
  const limits = limitsOf[database.engine];
  await trial.restart({ ...limits, url: proxy.settings.url });
  const gateway = trial.gateway();
  const base = `http://127.0.0.1:${gateway.port}`;
  const client = new HostileClient(gateway.port, WRITERS + READERS + 2);
  const longestHealing = healing(limits);
  // It waits for a connection, runs until it is stopped, and is tried once more on another connection.
  const deadline = 2 * longestHealing;
  let [longest, lines, liveWorst] = [0, 0, 0];
  const replies = new Replies(trial.broken, expected);
  let now: Trouble = 'none';
  const note = (reply: Reply, sent: Sent): void => {
    replies.note(reply, sent, ` while the database was ${now}`, deadline);
  };
  const send: Send = async (query, body) => {
    const sent: Sent = {
      method: 'POST',
      url: `/rest/Category?${query}`,
      body: Buffer.from(JSON.stringify(body)),
    };
    const reply = await client.send(sent);
    note(reply, sent);
    return 'broken' in reply ? null : { status: reply.status, text: reply.bytes.toString('utf8') };
  };
  const ledger = new Ledger(`t${random.hex(4)}-`, WRITERS);
  await ledger.open(send);
  const work = { isOver: false };
  const verdicts = { in: 0, out: 0, either: 0 };
  const writers = Array.from({ length: WRITERS }, async (_, index) => {
    while (!work.isOver) verdicts[await ledger.write(index, send)] += 1;
  });
  const readers = Array.from({ length: READERS }, async () => {
    while (!work.isOver) {
      const sent = random.pick(READS);
      note(await client.send(sent), sent);
      await sleep(5);
    }
  });
  const probes = (async (): Promise<void> => {
    while (!work.isOver) {
      const { took } = await client.send({ method: 'GET', url: '/health/live' });
      liveWorst = Math.max(liveWorst, took);
      await sleep(50);
    }
  })();
  const healed = async (): Promise<number> => {
    const start = performance.now();
    for (let served = 0; served < HEALTHY;) {
      const [read] = READS;
      if (read === undefined) break;
      const reply = await client.send(read);
      served = outcomeOf(reply) === '200' ? served + 1 : 0;
      if (performance.now() - start > 3 * longestHealing) break;
    }
    return performance.now() - start;
  };
  const begin: Readonly<Record<Trouble, () => void>> = {
    none: () => undefined,
    cut: () => proxy.cut('reset'),
    frozen: proxy.freeze,
    away: () => proxy.away(true),
    slow: () => proxy.slow(DELAY),
  };
  const end = (): void => {
    if (now === 'frozen') proxy.cut('reset');
    proxy.thaw();
    proxy.away(false);
    proxy.slow(0);
  };
  const troubles: readonly Trouble[] = ['cut', 'frozen', 'away', 'slow'];
  // Each of them once at least, whatever the time.
  for (let round = 0; round < troubles.length || performance.now() < until; round += 1) {
    now = troubles[round % troubles.length] ?? 'cut';
    await sleep(500);
    gateway.takeLog();
    begin[now]();
    await sleep(lasting(now, limits));
    if (now === 'away') lines = gateway.takeLog().split('\n').length - 1;
    end();
    const took = await healed();
    console.log(`  ${now}: healed in ${took.toFixed(0)} ms`);
    if (took > longestHealing) trial.broken(`healing took ${took.toFixed(0)} ms: it was ${now}`);
    longest = Math.max(longest, took);
  }
  work.isOver = true;
  await Promise.all([...writers, ...readers, probes]);
  const most = await gateway.read();
  // The server may still be about to roll back, or to commit, what it was sent last.
  await sleep(2000);
  const rows = await categories(base, ledger.prefix);
  const problems = ledger.problems(rows);
  for (const problem of problems) trial.broken(problem);
  const found = problems.length === 0 ? 'found' : 'not all found';
  console.log(
    `  ${String(replies)}; in doubt: ${ledger.doubtful(rows)}; ${lines} log lines in 4 s away`,
  );
  client.close();
  await proxy.close();
  return {
    inputs: replies.count,
    held: most.held,
    peak: most.peak,
    also:
      `healed in ${longest.toFixed(0)} ms at most; the longest request ${replies.slowest.toFixed(0)} ms, /health/live ${liveWorst.toFixed(0)} ms; ` +
      `${verdicts.in} writes acknowledged and ${found}, ${verdicts.out} refused, ${verdicts.either} unknown (${ledger.doubtful(rows)}); ` +
      `${(lines / 4).toFixed(0)} log lines a second`,
  };
}
