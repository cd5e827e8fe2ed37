import { styleText } from 'node:util';
import { type DestinationStream, pino } from 'pino';
import { excerpt } from '../../base/text.ts';

/** Members that every line has, or that its message repeats. */
const LEFT_OUT = new Set(['level', 'time', 'pid', 'hostname', 'stages', 'msg', 'problems', 'more']);

/** How many characters a line has of one member, such as the statements of a slow request. */
const LONGEST_MEMBER = 2000;

/** Control characters but for line feeds: they would move the cursor of a terminal. */
const CONTROLS = /[^\P{Cc}\n]/gu;

/** Passes on the lines of a log as text for people. */
export function prettyLog(stream: DestinationStream): DestinationStream {
  return { write: (line) => stream.write(prettyLine(line)) };
}

/**
 * Turns a line of the log from JSON into text: time, level, message, and the other members. A request is shown by verb, URL, status and milliseconds.
 * The stack of an error follows in indented lines.
 */
export function prettyLine(json: string): string {
  const line = JSON.parse(json) as Record<string, unknown>;
  const { time, level, msg = '', err, ...members } = line;
  const label = (pino.levels.labels[Number(level)] ?? String(level)).toUpperCase().padEnd(5);
  const { stack } = (err ?? {}) as { readonly stack?: string };
  const { message, others } = requestShown(String(msg), members);
  const shown = Object.entries(others)
    .filter(([name]) => !LEFT_OUT.has(name))
    .map(([name, value]) => ` ${name}=${excerpt(memberText(value), LONGEST_MEMBER)}`);
  const text = `${message}${shown.join('')}${stack === undefined ? '' : `\n${stack}`}`;
  // Indented lines cannot be mistaken for lines of the log: a client may have sent the text.
  return `${String(time)} ${coloured(label)} ${printable(text).replaceAll('\n', '\n    ')}\n`;
}

/** Moves what identifies a request into the message, where a line is about one. Its id is needed only to find its errors. */
function requestShown(
  msg: string,
  members: Record<string, unknown>,
): { readonly message: string; readonly others: Record<string, unknown> } {
  const { method, url, statusCode, ms, reqId, ...others } = members;
  if (typeof statusCode !== 'number') return { message: msg, others: members };
  const request = `${String(method)} ${String(url)} ${statusCode} ${String(ms)} ms`;
  return {
    message: msg === 'request' ? request : `${msg}: ${request}`,
    others: statusCode < 500 ? others : { ...others, reqId },
  };
}

function memberText(value: unknown): string {
  return typeof value === 'string' && /^\S+$/.test(value) ? value : JSON.stringify(value);
}

function printable(text: string): string {
  return text.replace(CONTROLS, (control) => {
    return `\\u${(control.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
  });
}

/** Colours the name of a level where standard output shows colours. */
function coloured(label: string): string {
  if (label.startsWith('WARN')) return styleText('yellow', label);
  return /^(?:ERROR|FATAL)/.test(label) ? styleText('red', label) : label;
}
