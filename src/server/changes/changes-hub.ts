import { Readable } from 'node:stream';
import { isProtocolError, ProtocolError } from '../../base/errors.ts';
import {
  type ChangeToken,
  outdated,
  type StreamTokens,
  tokenText,
  type VersionBound,
} from '../../run/read/change-token.ts';
import { memoize } from '../../base/collections.ts';

/** What has changed of a dataclass, for all users who see the same of it. */
export interface Channel {
  /** Equal for the same dataclass and users who see the same entities of it. */
  readonly id: string;
  readonly dataclass: string;
  /** Equal where the bounds are. */
  readonly boundId: string;
  readonly readBound: () => Promise<VersionBound>;
  /** @throws ProtocolError badToken, tokenOutdated */
  readonly check: (token: ChangeToken, bound: VersionBound) => void;
  readonly read: (token: ChangeToken, bound: VersionBound) => Promise<ChangedKeys>;
  /** The same without the restrictions of the users: where nothing has changed for anybody, nothing has for them. Null where there are none. */
  readonly unrestricted: Channel | null;
}

/** The keys of changed entities; none are listed where they are too many. */
export interface ChangedKeys {
  readonly keys: readonly string[];
  readonly removed: readonly string[];
  readonly areTooMany: boolean;
  /** Behind them all. */
  readonly token: ChangeToken;
}

export interface HubOptions {
  readonly pollSeconds: number;
  readonly maxStreams: number;
  /** Called when the database cannot be looked at, once until it can again. */
  readonly onError: (error: Error) => void;
}

/** Streams with the same channels that have got the same. */
interface Group {
  readonly channels: readonly Channel[];
  tokens: StreamTokens;
  readonly streams: Set<OpenStream>;
}

interface OpenStream {
  readonly body: Readable;
  /** In milliseconds, by the monotonic clock. */
  readonly openedAt: number;
}

/** How long a stream lives, in milliseconds: clients then come again, with credentials that still count. */
const LIFE = 600_000;

/** How long a stream is silent at most, in milliseconds: proxies close silent connections. */
const SILENCE = 15_000;

/** How much may wait for a client that reads slowly, in bytes; it goes on from the last event that it has got. */
const MOST_WAITING = 65_536;

/** Follows the database for all streams of changes: each look at it is for all that are open. */
export class ChangesHub {
  readonly #options: HubOptions;
  readonly #groups = new Set<Group>();
  #timer: NodeJS.Timeout | null = null;
  #count = 0;
  #saidAt = performance.now();
  #isClosed = false;
  #isFailing = false;

  constructor(options: HubOptions) {
    this.#options = options;
  }

  /** How many streams are open. */
  get count(): number {
    return this.#count;
  }

  /**
   * Opens a stream of events.
   * @param tokens from where on; null for now
   * @throws ProtocolError connectionsBusy where there are too many; tokenOutdated
   */
  async open(channels: readonly Channel[], tokens: StreamTokens | null): Promise<Readable> {
    const { maxStreams } = this.#options;
    if (this.#count >= maxStreams || this.#isClosed) {
      const message = `There are ${maxStreams} streams of changes already. Try again later.`;
      throw new ProtocolError('connectionsBusy', message).advising(
        'The limit is changes.maxStreams.',
      );
    }
    this.#count += 1;
    const body = new Readable({ read: () => undefined });
    body.once('close', () => {
      this.#count -= 1;
    });
    try {
      const bounds = new Once<VersionBound>();
      const entries = await Promise.all(
        channels.map(async (channel) => {
          const bound = await bounds.of(channel.boundId, channel.readBound);
          if (tokens === null) return [channel.dataclass, startOf(channel, bound)] as const;
          const token = tokens[channel.dataclass];
          if (token === undefined) throw outdated('it was made for other dataclasses');
          channel.check(token, bound);
          return [channel.dataclass, token] as const;
        }),
      );
      this.#join({ body, openedAt: performance.now() }, channels, Object.fromEntries(entries));
      return body;
    } catch (error) {
      body.destroy();
      throw error;
    }
  }

  /** Ends all streams; their clients come again. */
  close(): void {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    for (const group of [...this.#groups]) this.#end(group);
  }

  #join(stream: OpenStream, channels: readonly Channel[], tokens: StreamTokens): void {
    if (this.#isClosed) {
      stream.body.push(null);
      return;
    }
    const group: Group = { channels, tokens, streams: new Set([stream]) };
    this.#groups.add(group);
    stream.body.once('close', () => this.#leave(stream));
    stream.body.push(`retry: 1000\n${idLine(tokens)}\n`);
    this.#timer ??= setTimeout(() => void this.#look(), this.#options.pollSeconds * 1000);
  }

  #leave(stream: OpenStream): void {
    for (const group of this.#groups) {
      if (group.streams.delete(stream) && group.streams.size === 0) this.#groups.delete(group);
    }
  }

  /** Looks at the database once, and tells all streams. */
  async #look(): Promise<void> {
    const bounds = new Once<VersionBound>();
    const changes = new Once<ChangedKeys>();
    const isDue = performance.now() - this.#saidAt > SILENCE;
    if (isDue) this.#saidAt = performance.now();
    let failure: Error | null = null;
    // A group that is added meanwhile may know more than this look.
    for (const group of [...this.#groups]) {
      try {
        const events = await eventsOf(group, bounds, changes);
        if (events !== '' || isDue) this.#send(group, events);
      } catch (error) {
        // Its clients get the error when they come again.
        if (isProtocolError(error, 'tokenOutdated')) {
          this.#end(group);
          continue;
        }
        failure = error as Error;
        if (isDue) this.#send(group, '');
      }
    }
    if (failure !== null && !this.#isFailing) this.#options.onError(failure);
    this.#isFailing = failure !== null;
    this.#merge();
    const { pollSeconds } = this.#options;
    this.#timer =
      this.#groups.size === 0 || this.#isClosed
        ? null
        : setTimeout(() => void this.#look(), pollSeconds * 1000);
  }

  /** Sends events to all streams of a group; without any, only the token. */
  #send({ streams, tokens }: Group, events: string): void {
    const text = events === '' ? `:\n${idLine(tokens)}\n` : events;
    const oldest = performance.now() - LIFE;
    for (const stream of [...streams]) {
      const { body, openedAt } = stream;
      body.push(text);
      if (body.readableLength > MOST_WAITING) body.destroy();
      else if (openedAt < oldest) this.#endStream(stream);
    }
  }

  #end({ streams }: Group): void {
    for (const stream of [...streams]) this.#endStream(stream);
  }

  /** Ends a stream, whose client may still have to read the last of it. */
  #endStream(stream: OpenStream): void {
    stream.body.push(null);
    this.#leave(stream);
  }

  /** Puts the streams together that have got the same. */
  #merge(): void {
    const merged = new Map<string, Group>();
    for (const group of this.#groups) {
      const id = group.channels
        .map((channel) => `${channel.id} ${group.tokens[channel.dataclass]?.until ?? ''}`)
        .join();
      const same = merged.get(id);
      if (same === undefined) merged.set(id, group);
      else {
        for (const stream of group.streams) same.streams.add(stream);
        this.#groups.delete(group);
      }
    }
  }
}

/** Does each work once. */
class Once<Result> {
  readonly #done = new Map<string, Promise<Result>>();

  of(id: string, work: () => Promise<Result>): Promise<Result> {
    return memoize(this.#done, id, work);
  }
}

function startOf({ id }: Channel, { version: until, database }: VersionBound): ChangeToken {
  return { of: id, database, at: Date.now(), until };
}

/** Reads what has changed for a group, and moves its tokens on. @returns its events */
async function eventsOf(
  group: Group,
  bounds: Once<VersionBound>,
  changes: Once<ChangedKeys>,
): Promise<string> {
  const found = await Promise.all(
    group.channels.map(async (channel) => {
      const token = group.tokens[channel.dataclass];
      if (token === undefined) throw new Error(`no token of ${channel.dataclass}`);
      const bound = await bounds.of(channel.boundId, channel.readBound);
      return { channel, changed: await changedSince(channel, token, bound, changes) };
    }),
  );
  group.tokens = Object.fromEntries(
    found.map(({ channel, changed }) => [channel.dataclass, changed.token]),
  );
  const news = found.filter(({ changed }) => hasChanges(changed));
  return news
    .map(({ channel: { dataclass }, changed: { keys, removed, areTooMany } }, index) => {
      const data = areTooMany ? { dataclass, tooMany: true } : { dataclass, keys, removed };
      // A client that has got some of the events only begins before all of them again.
      const id = index === news.length - 1 ? idLine(group.tokens) : '';
      return `${id}data: ${JSON.stringify(data)}\n\n`;
    })
    .join('');
}

async function changedSince(
  channel: Channel,
  token: ChangeToken,
  bound: VersionBound,
  changes: Once<ChangedKeys>,
): Promise<ChangedKeys> {
  const { unrestricted } = channel;
  if (unrestricted !== null) {
    const own = { ...token, of: unrestricted.id };
    const all = await changedSince(unrestricted, own, bound, changes);
    if (!hasChanges(all)) return { ...all, token: { ...all.token, of: channel.id } };
  }
  const id = `${channel.id} ${token.until}`;
  return changes.of(id, () => channel.read(token, bound));
}

function hasChanges({ keys, removed, areTooMany }: ChangedKeys): boolean {
  return keys.length > 0 || removed.length > 0 || areTooMany;
}

function idLine(tokens: StreamTokens): string {
  return `id: ${tokenText(tokens)}\n`;
}
