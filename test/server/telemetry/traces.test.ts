import { context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import {
  AlwaysOffSampler,
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { ProtocolError } from '../../../src/base/errors.ts';
import { isSdkRegistered, requestTraces } from '../../../src/server/telemetry/traces.ts';
import { mirror, startBoth } from '../application.ts';
import { ask } from '../serving.ts';
import { begun } from './sources.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';
const traceparent = `00-${TRACE}-${PARENT}-01`;

const ended = { status: 200, milliseconds: 4, end: 'sent' as const };

/** Registers an SDK, as the module does that an operator loads with --import. */
function register(sampler?: AlwaysOffSampler): InMemorySpanExporter {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({
    spanProcessors: [new SimpleSpanProcessor(exporter)],
    ...(sampler !== undefined && { sampler }),
  });
  trace.setGlobalTracerProvider(provider);
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  return exporter;
}

afterEach(() => {
  trace.disable();
  propagation.disable();
  context.disable();
});

/** What of a span does not depend on time and chance. */
function told(span: ReadableSpan): object {
  const { name, kind, attributes, status, events } = span;
  return { name, kind, attributes, status: status.code, events: events.map((one) => one.name) };
}

const milliseconds = ({ duration: [seconds, nanoseconds] }: ReadableSpan): number =>
  seconds * 1000 + nanoseconds / 1e6;

/** The headers that an application is sent of a request with a trace. */
async function forwarded(): Promise<Readonly<Record<string, string>>> {
  const { port } = await startBoth(mirror, {}, { observer: requestTraces('postgresql') });
  const { text } = await ask(port, '/app/x', { headers: { traceparent, tracestate: 'a=b' } });
  return (JSON.parse(text) as { headers: Record<string, string> }).headers;
}

describe('with an SDK', () => {
  test('a request is a span of the client’s trace, with a child for each statement', () => {
    const exporter = register();
    const observer = requestTraces('postgresql')(begun({ headers: { traceparent } }));
    observer.requestNamed?.({ operation: 'read', dataclass: 'Employee' });
    observer.poolWaited(0.1);
    observer.poolWaited(20);
    observer.statementRun({ name: 'n', text: 'SELECT $1', milliseconds: 1.5, rows: 3 });
    observer.statementRun({
      ...{ name: 'm', text: 'WITH x AS (SELECT $1) SELECT 1', milliseconds: 2, rows: null },
      failure: 'timeout',
    });
    observer.errorMet(new ProtocolError('statementTimeout', 'The secret took too long.'));
    observer.requestEnded({ ...ended, status: 504 });
    const [one, other, request] = exporter.getFinishedSpans();
    if (one === undefined || other === undefined || request === undefined) throw new Error('lost');
    const failed = { status: SpanStatusCode.ERROR, events: [] };
    expect(told(request)).toEqual({
      ...{ ...failed, name: 'read Employee', kind: SpanKind.SERVER },
      attributes: {
        ...{ 'http.request.method': 'GET', 'http.route': '/rest/Employee' },
        ...{ 'http.response.status_code': 504, 'error.type': 'statementTimeout' },
        ...{ 'entitygate.request.id': 'r-1', 'entitygate.operation': 'read' },
        'entitygate.dataclass': 'Employee',
      },
      events: ['waited for a connection'],
    });
    expect(request.events[0]?.attributes).toEqual({ 'entitygate.pool.wait_time': 0.02 });
    const ofDatabase = { 'db.system.name': 'postgresql' };
    expect(told(one)).toEqual({
      ...{ name: 'SELECT', kind: SpanKind.CLIENT, status: SpanStatusCode.UNSET, events: [] },
      attributes: {
        ...{ ...ofDatabase, 'db.query.text': 'SELECT $1', 'db.operation.name': 'SELECT' },
        ...{ 'db.response.returned_rows': 3, 'entitygate.statement': 'n' },
      },
    });
    const text = 'WITH x AS (SELECT $1) SELECT 1';
    expect(told(other)).toEqual({
      ...{ ...failed, name: 'postgresql', kind: SpanKind.CLIENT },
      attributes: {
        ...{ ...ofDatabase, 'db.query.text': text, 'entitygate.statement': 'm' },
        'error.type': 'timeout',
      },
    });
    expect(milliseconds(one)).toBeCloseTo(1.5, 1);
    expect(request.parentSpanContext).toMatchObject({ traceId: TRACE, spanId: PARENT });
    for (const child of [one, other]) {
      expect(child.spanContext().traceId).toBe(TRACE);
      expect(child.parentSpanContext?.spanId).toBe(request.spanContext().spanId);
    }
  });

  test('a request without a trace begins one; that the client has gone is no error of the gateway', () => {
    const exporter = register();
    const observe = requestTraces('postgresql');
    observe(begun({ verb: 'POST' })).requestEnded({ ...ended, status: 499, end: 'clientGone' });
    observe(begun({ url: '/health/live' })).requestEnded(ended);
    const other = observe(begun());
    other.requestNamed?.({ operation: 'catalog', dataclass: null });
    other.requestEnded(ended);
    const spans = exporter.getFinishedSpans();
    const asked = { 'entitygate.request.id': 'r-1' };
    const whole = { kind: SpanKind.SERVER, status: SpanStatusCode.UNSET, events: [] };
    expect(spans.map(told)).toEqual([
      {
        ...{ ...whole, name: 'POST' },
        attributes: {
          ...{ ...asked, 'http.request.method': 'POST', 'http.response.status_code': 499 },
          'error.type': 'client_gone',
        },
      },
      {
        ...{ ...whole, name: 'GET catalog' },
        attributes: {
          ...{ ...asked, 'http.request.method': 'GET', 'http.response.status_code': 200 },
          'entitygate.operation': 'catalog',
        },
      },
    ]);
    expect(spans.map(({ parentSpanContext }) => parentSpanContext)).toEqual([undefined, undefined]);
  });

  test.each([
    ['continues the trace, as a child of the gateway’s span', undefined, '01', 1],
    ['is told that the sampler leaves it out', new AlwaysOffSampler(), '00', 0],
  ])('an application %s', async (_what, sampler, flags, spans) => {
    const exporter = register(sampler);
    const headers = await forwarded();
    await vi.waitFor(() => expect(exporter.getFinishedSpans()).toHaveLength(spans), {
      timeout: 20_000,
    });
    const [span] = exporter.getFinishedSpans();
    const id = span?.spanContext().spanId ?? '[0-9a-f]{16}';
    expect(headers['traceparent']).toMatch(new RegExp(`^00-${TRACE}-${id}-${flags}$`));
    expect(headers['tracestate']).toBe('a=b');
    const name = 'GET forward';
    const attributes = { 'http.response.status_code': 200, 'entitygate.operation': 'forward' };
    if (span !== undefined) expect(told(span)).toMatchObject({ name, attributes });
  });
});

describe('without an SDK', () => {
  test('an application gets the client’s trace as it came', async () => {
    expect((await forwarded())['traceparent']).toBe(traceparent);
  });

  test('that none is registered is known', () => {
    expect(isSdkRegistered()).toBe(false);
    register();
    expect(isSdkRegistered()).toBe(true);
  });
});
