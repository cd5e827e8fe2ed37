// node --import ./docs/how-to/opentelemetry.js dist/main.js serve
import { propagation, trace } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import {
  BasicTracerProvider,
  ConsoleSpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';

const spanProcessors = [new SimpleSpanProcessor(new ConsoleSpanExporter())];
trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors }));
propagation.setGlobalPropagator(new W3CTraceContextPropagator());
