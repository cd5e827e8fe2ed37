import {
  type Attributes,
  type Context,
  propagation,
  ProxyTracerProvider,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from '@opentelemetry/api';
import { ProtocolError } from '../../base/errors.ts';
import type {
  NamedRequest,
  Observer,
  RequestEnded,
  StatementRun,
  WholeRequestObserver,
} from '../../base/observe/observer.ts';

/** How OpenTelemetry names the engines of a database (https://opentelemetry.io/docs/specs/semconv/db/). */
export type DatabaseSystem = 'postgresql' | 'microsoft.sql_server';

/** The shortest wait for a connection that a span tells of, in milliseconds. */
const SHORTEST_WAIT = 1;

/** Statements that begin with what they do. */
const OPERATION = /^\s*(SELECT|INSERT|UPDATE|DELETE|MERGE|CALL|EXEC)\b/i;

/** Whether a tracer provider is registered: without one, no span is recorded. */
export function isSdkRegistered(): boolean {
  const provider = trace.getTracerProvider();
  if (!(provider instanceof ProxyTracerProvider)) return true;
  return provider.getDelegate() !== new ProxyTracerProvider().getDelegate();
}

/**
 * Reports requests as spans, with a child for each statement, to the OpenTelemetry SDK that is registered, by its semantic conventions. The spans hold no
 * value of a request: of its URL only the kind and the dataclass. Statements that several requests share are children of the first one's span.
 */
export function requestTraces(system: DatabaseSystem): Observer {
  const tracer = trace.getTracer('entitygate');
  return ({ verb, url, headers, id }) => {
    if (url.startsWith('/health/')) return untraced(ROOT_CONTEXT);
    const parent = propagation.extract(ROOT_CONTEXT, headers);
    const attributes = { 'http.request.method': verb, 'entitygate.request.id': id };
    const span = tracer.startSpan(verb, { kind: SpanKind.SERVER, attributes }, parent);
    const within = trace.setSpan(parent, span);
    return span.isRecording() ? traced(span, within, { tracer, system, verb }) : untraced(within);
  };
}

function ignore(): void {
  // Nothing is recorded.
}

/** The observer of a request that is not recorded. An application still learns that. */
function untraced(within: Context): WholeRequestObserver {
  return {
    stageDone: ignore,
    statementRun: ignore,
    poolWaited: ignore,
    errorMet: ignore,
    writes: null,
    traceHeaders: () => headersOf(within),
    requestEnded: ignore,
  };
}

function headersOf(within: Context): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  propagation.inject(within, headers);
  return headers;
}

interface Tracing {
  readonly tracer: Tracer;
  readonly system: DatabaseSystem;
  readonly verb: string;
}

function traced(
  span: Span,
  within: Context,
  { tracer, system, verb }: Tracing,
): WholeRequestObserver {
  let errorType: string | null = null;
  return {
    requestNamed: (named) => nameSpan(span, named, verb),
    stageDone: ignore,
    statementRun: (statement) => traceStatement(statement, tracer, system, within),
    poolWaited: (milliseconds) => {
      if (milliseconds < SHORTEST_WAIT) return;
      span.addEvent('waited for a connection', {
        'entitygate.pool.wait_time': milliseconds / 1000,
      });
    },
    errorMet: (error) => {
      // Its message may hold values.
      errorType = error instanceof ProtocolError ? error.errorName : error.name;
    },
    writes: null,
    traceHeaders: () => headersOf(within),
    requestEnded: (end) => endSpan(span, end, errorType),
  };
}

/** Names a span by the kind of request and its dataclass. Keys and filters are the client's values, so that a template stands for the URL. */
function nameSpan(span: Span, { operation, dataclass }: NamedRequest, verb: string): void {
  span.updateName(dataclass === null ? `${verb} ${operation}` : `${operation} ${dataclass}`);
  span.setAttribute('entitygate.operation', operation);
  if (dataclass === null) return;
  span.setAttribute('http.route', `/rest/${dataclass}`);
  span.setAttribute('entitygate.dataclass', dataclass);
}

function endSpan(span: Span, { status, end }: RequestEnded, errorType: string | null): void {
  span.setAttribute('http.response.status_code', status);
  if (end === 'clientGone') span.setAttribute('error.type', 'client_gone');
  else if (status >= 500) {
    span.setAttribute('error.type', errorType ?? String(status));
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end();
}

function traceStatement(
  { name, text, milliseconds, rows, failure }: StatementRun,
  tracer: Tracer,
  system: DatabaseSystem,
  within: Context,
): void {
  const end = performance.now();
  const operation = OPERATION.exec(text)?.[1]?.toUpperCase();
  const attributes: Attributes = {
    'db.system.name': system,
    'db.query.text': text,
    'entitygate.statement': name,
    ...(operation !== undefined && { 'db.operation.name': operation }),
    ...(rows !== null && { 'db.response.returned_rows': rows }),
    ...(failure !== undefined && { 'error.type': failure }),
  };
  const options = { kind: SpanKind.CLIENT, attributes, startTime: end - milliseconds };
  const span = tracer.startSpan(operation ?? system, options, within);
  if (failure !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end(end);
}
