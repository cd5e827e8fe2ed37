import { ExactNumber, type Answer, type Gateway } from '../targets/gateway.ts';

/** An entity in an answer. */
export type Entity = Readonly<Record<string, unknown>>;

/** How the write of one entity ended. */
export interface Ended {
  readonly status: number;
  readonly success: boolean;
  /** The codes of `__ERROR`, in their order. */
  readonly codes: readonly number[];
  readonly entity: Entity;
}

/** Sends a write with a JSON body. A number that no double holds, such as the stamp of a hash, is sent back as its digits. */
export function post(gateway: Gateway, url: string, body: unknown): Promise<Answer> {
  const text = JSON.stringify(body, (_, value: unknown) =>
    value instanceof ExactNumber ? value.digits : value,
  );
  return gateway.get(url, { method: 'POST', body: text });
}

/** The stamp of an entity, as text that can be compared. */
export function stampOf({ __STAMP: stamp }: Entity): string {
  return stamp instanceof ExactNumber ? stamp.digits : JSON.stringify(stamp);
}

/** How the only entity of an answer, or a whole request, ended. */
export function ended({ status, body }: Answer): Ended {
  return { status, ...entityEnd(body as Entity) };
}

/** How each entity of an answer to an array ended. */
export function allEnded({ body }: Answer): Omit<Ended, 'status'>[] {
  return ((body as { __ENTITIES?: readonly Entity[] }).__ENTITIES ?? []).map(entityEnd);
}

function entityEnd(entity: Entity): Omit<Ended, 'status'> {
  const { __STATUS: status, __ERROR: errors = [] } = entity as {
    __STATUS?: { success?: boolean };
    __ERROR?: readonly { errCode: number }[];
  };
  return { success: status?.success === true, codes: errors.map((error) => error.errCode), entity };
}

/** An entity as it is now. */
export async function readEntity(gateway: Gateway, url: string): Promise<Entity> {
  return (await gateway.get(url)).body as Entity;
}

/** How many entities a filter finds. */
export async function countOf(
  gateway: Gateway,
  dataclass: string,
  filter: string,
): Promise<number> {
  const answer = await gateway.get(`/rest/${dataclass}?$filter="${filter}"&$top=0`);
  return (answer.body as { __COUNT: number }).__COUNT;
}
