import { excerpt } from '../text.ts';
import type { NamedRequest, Observer, RequestLogger, StatementRun } from './observer.ts';
import { loggedUrl } from './request-log.ts';
import { rounded, StageTimes } from './stage-times.ts';

/** How many statements a line holds: those that took longest. */
const LOGGED_STATEMENTS = 10;

/** How many characters of a statement, and of the description of the query, a line holds. */
const LONGEST_TEXT = 4000;

/**
 * Logs the requests that take long, health probes aside, at level warn: the stages, the statements that took longest, and the query as `$queryplan` describes it. No line
 * holds a value of the request, except in its URL. @param slow from how many milliseconds on a request is logged
 */
export function slowRequestLog(log: Pick<RequestLogger, 'warn'>, slow: number): Observer {
  return ({ id: reqId, verb: method, url }) => {
    const stages = new StageTimes();
    const longest: StatementRun[] = [];
    let named: NamedRequest | null = null;
    let statements = 0;
    let waited = 0;
    return {
      requestNamed: (request) => (named = request),
      stageDone: (stage, milliseconds) => stages.add(stage, milliseconds),
      statementRun: (statement) => {
        statements += 1;
        keepLongest(longest, statement);
      },
      poolWaited: (milliseconds) => (waited += milliseconds),
      errorMet: () => undefined,
      writes: null,
      requestEnded: ({ status: statusCode, milliseconds, clientGone }) => {
        if (milliseconds < slow || url.startsWith('/health/')) return;
        const description = named?.describe?.() ?? null;
        log.warn(
          {
            ...{
              reqId,
              method,
              url: loggedUrl(url),
              statusCode,
              ...(clientGone && { clientGone }),
            },
            ...(named !== null && { operation: named.operation }),
            ms: rounded(milliseconds),
            stages: JSON.parse(stages.json()) as object,
            poolWaitMs: rounded(waited),
            statements,
            longest: longest.toSorted((a, b) => b.milliseconds - a.milliseconds).map(logged),
            ...(description !== null && { plan: excerpt(description, LONGEST_TEXT) }),
          },
          'slow request',
        );
      },
    };
  };
}

/** Adds a statement, in place of the shortest one where there are too many. */
function keepLongest(longest: StatementRun[], statement: StatementRun): void {
  if (longest.length < LOGGED_STATEMENTS) {
    longest.push(statement);
    return;
  }
  let shortest = 0;
  for (let index = 1; index < longest.length; index += 1) {
    const [one, other] = [longest[index], longest[shortest]];
    if (one !== undefined && other !== undefined && one.milliseconds < other.milliseconds) {
      shortest = index;
    }
  }
  if ((longest[shortest]?.milliseconds ?? 0) < statement.milliseconds) {
    longest[shortest] = statement;
  }
}

function logged({ name, text, milliseconds, rows, failure }: StatementRun): object {
  const outcome = failure === undefined ? { rows } : { failed: failure };
  return { name, sql: excerpt(text, LONGEST_TEXT), ms: rounded(milliseconds), ...outcome };
}
