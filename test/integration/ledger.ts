/** What an answer says of an atomic request: saved, not saved, or nobody knows. */
export type Verdict = 'in' | 'out' | 'either';

/** An answer, or null where the connection to the gateway broke before it came. */
export type Reply = { readonly status: number; readonly text: string } | null;

/** How many entities one atomic request creates, and how many that are there it changes. */
const CREATED = 5;
const CHANGED = 3;

const OUTCOME_UNKNOWN = 9014;

interface Sent {
  readonly id: string;
  readonly verdict: Verdict;
}

/** Sends JSON to `/rest/Category` with these parameters. */
export type Send = (query: string, body: unknown) => Promise<Reply>;

/** A row of the table that the requests write. */
export interface CategoryRow {
  readonly code: string;
  readonly description: string | null;
}

/**
 * Clients that send atomic requests one after the other, each creating some categories and changing those that the client
 * calls its own; and what the answers said of them. Later the database is compared with that.
 */
export class Ledger {
  readonly #name: string;
  readonly #sent: Sent[][];
  readonly #replies = new Map<string, number>();

  constructor(name: string, clients: number) {
    this.#name = name;
    this.#sent = Array.from({ length: clients }, () => []);
  }

  /** What begins the codes of all categories of this ledger. */
  get prefix(): string {
    return this.#name;
  }

  get clients(): number {
    return this.#sent.length;
  }

  /** How often each kind of answer came. */
  get replies(): string {
    return [...this.#replies].map(([kind, count]) => `${kind} ${count}`).join(', ');
  }

  /** Creates what the clients call their own. */
  async open(send: Send): Promise<void> {
    const own = this.#sent.flatMap((_, client) =>
      Array.from({ length: CHANGED }, (_, index) => ({
        code: this.#own(client, index),
        position: 0,
      })),
    );
    const reply = await send('$atomic=true', own);
    if (reply?.status !== 200) throw new Error(`the ledger is not open: ${reply?.text ?? ''}`);
  }

  /** Sends the next request of a client and takes note of what is said of it. */
  async write(client: number, send: Send): Promise<Verdict> {
    const sent = this.#sent[client] ?? [];
    const id = `${this.#name}${client}-${sent.length}`;
    const reply = await send('$atomic=true', [
      ...Array.from({ length: CREATED }, (_, index) => ({
        code: `${id}-${index}`,
        position: index,
        description: id,
      })),
      ...Array.from({ length: CHANGED }, (_, index) => ({
        __KEY: this.#own(client, index),
        description: id,
      })),
    ]);
    const verdict = this.#judge(reply);
    sent.push({ id, verdict });
    return verdict;
  }

  /** What in these rows contradicts what clients were told; empty where nothing does. */
  problems(rows: readonly CategoryRow[]): string[] {
    const problems: string[] = [];
    const created = new Map<string, number>();
    const own = new Map<string, string | null>();
    for (const { code, description } of rows) {
      if (code.includes('own')) own.set(code, description);
      else created.set(description ?? '', (created.get(description ?? '') ?? 0) + 1);
    }
    for (const [client, sent] of this.#sent.entries()) {
      let last: string | null = null;
      for (const { id, verdict } of sent) {
        const count = created.get(id) ?? 0;
        if (count > 0) last = id;
        const isWhole = count === 0 || count === CREATED;
        const isAsTold = verdict === 'either' || count > 0 === (verdict === 'in');
        if (!isWhole || !isAsTold) problems.push(`${id}: told ${verdict}, ${count} of ${CREATED}`);
      }
      for (let index = 0; index < CHANGED; index += 1) {
        const held = own.get(this.#own(client, index)) ?? null;
        if (held !== last)
          problems.push(`client ${client}: ${held ?? 'null'} beside ${last ?? 'null'}`);
      }
    }
    return problems;
  }

  /** What came of requests of which nobody was told: how many were saved, and how many not. */
  doubtful(rows: readonly CategoryRow[]): string {
    const saved = new Set(rows.map(({ description }) => description));
    const either = this.#sent.flat().filter(({ verdict }) => verdict === 'either');
    const inside = either.filter(({ id }) => saved.has(id)).length;
    return `${inside} saved, ${either.length - inside} not`;
  }

  #own(client: number, index: number): string {
    return `${this.#name}own${client}-${index}`;
  }

  #judge(reply: Reply): Verdict {
    const codes = reply === null ? [] : codesOf(reply.text);
    const kind = reply === null ? 'no answer' : [reply.status, ...codes].join(' ');
    this.#replies.set(kind, (this.#replies.get(kind) ?? 0) + 1);
    if (reply === null || codes.includes(OUTCOME_UNKNOWN)) return 'either';
    return reply.status === 200 && codes.length === 0 ? 'in' : 'out';
  }
}

function codesOf(text: string): number[] {
  const { __ERROR: errors = [] } = JSON.parse(text) as { __ERROR?: readonly { errCode: number }[] };
  return errors.map(({ errCode }) => errCode);
}

/** Sends to a gateway at an address. */
export function sendTo(base: string): Send {
  return async (query, body) => {
    try {
      const answer = await fetch(`${base}/rest/Category?${query}`, {
        method: 'POST',
        body: JSON.stringify(body),
      });
      return { status: answer.status, text: await answer.text() };
    } catch {
      return null;
    }
  };
}

/** How many categories are asked for at once. */
const PAGE = 10_000;

/** The categories of a ledger, as a gateway tells them. */
export async function categories(base: string, prefix: string): Promise<CategoryRow[]> {
  const rows: CategoryRow[] = [];
  for (;;) {
    const query = `$filter="code begin '${prefix}'"&$top=${PAGE}&$skip=${rows.length}`;
    const answer = await fetch(`${base}/rest/Category?${query}`);
    if (!answer.ok) throw new Error(await answer.text());
    const { __ENTITIES: page } = (await answer.json()) as { __ENTITIES: CategoryRow[] };
    rows.push(...page);
    if (page.length < PAGE) return rows;
  }
}
