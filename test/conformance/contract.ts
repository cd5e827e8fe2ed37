import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { ProtocolError } from '../../src/base/errors.ts';
import { parsePath } from '../../src/protocol/url/path.ts';
import { ValueList } from '../../src/protocol/url/literals.ts';
import type { Answer, Gateway } from '../targets/gateway.ts';

interface Media {
  readonly schema?: unknown;
}

interface Response {
  readonly $ref?: string;
  readonly content?: Readonly<Record<string, Media>>;
}

interface Operation {
  readonly responses: Readonly<Record<string, Response>>;
}

/** The parts of an OpenAPI document that answers are checked against. */
export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation | undefined>>>>;
  readonly components: {
    readonly responses: Readonly<Record<string, Response>>;
    readonly schemas: Readonly<Record<string, object>>;
  };
}

const ID = 'urn:entitygate:contract';

/** Checks answers against the OpenAPI document of the gateway that gave them. */
export class Contract {
  readonly document: Document;
  // Most schemas check a few answers: what is compiled need not be short.
  readonly #ajv = new Ajv2020({
    ...{ strict: false, logger: false, validateSchema: false },
    code: { optimize: false },
  });
  readonly #compiled = new Map<string, ValidateFunction>();

  constructor(document: Document) {
    this.document = document;
    addFormats.default(this.#ajv);
    this.#ajv.addSchema({ ...document, $id: ID });
  }

  /** Says how an answer differs from the document; null where it does not. */
  problem(method: string, url: string, answer: Answer): string | null {
    if (method === 'OPTIONS') {
      return answer.status === 204 && answer.text === '' ? null : 'is no answer to OPTIONS';
    }
    const path = templateOf(url, this.document);
    const verb = method === 'HEAD' ? 'get' : method.toLowerCase();
    const operation = path === null ? undefined : this.document.paths[path]?.[verb];
    if (path === null || operation === undefined) {
      if (answer.status < 400) return `the document has no ${method} of ${path ?? 'this path'}`;
      return method === 'HEAD' ? null : this.mismatch(ERRORS, JSON.parse(answer.text));
    }
    const { responses } = operation;
    const status = [String(answer.status), `${String(answer.status).charAt(0)}XX`].find(
      (one) => one in responses,
    );
    if (status === undefined) return `${method} ${path} has no response ${answer.status}`;
    const { $ref } = responses[status] ?? {};
    const at = $ref ?? pointer('paths', path, verb, 'responses', status);
    const named = $ref?.split('/').at(-1);
    const response =
      named === undefined ? responses[status] : this.document.components.responses[named];
    if (response?.content === undefined || method === 'HEAD') {
      return answer.text === '' ? null : `${method} ${path} has no body with ${answer.status}`;
    }
    const type = String(answer.headers['content-type']).split(';')[0] ?? '';
    const media = [type, type.replace(/\/.*/, '/*')].find(
      (one) => response.content !== undefined && one in response.content,
    );
    if (media === undefined) return `${method} ${path} does not answer ${type}`;
    if (media !== 'application/json') return null;
    const problem = this.mismatch(
      `${at}/content/application~1json/schema`,
      JSON.parse(answer.text),
    );
    return problem === null ? null : `${method} ${path} ${status}: ${problem}`;
  }

  /** Says where a value differs from the schema at a place of the document; null where it does not. */
  mismatch(at: string, value: unknown): string | null {
    let validate = this.#compiled.get(at);
    if (validate === undefined) {
      validate = this.#ajv.compile({ $ref: ID + at });
      this.#compiled.set(at, validate);
    }
    return validate(value) ? null : describe(validate.errors ?? []);
  }
}

const ERRORS = pointer('components', 'schemas', 'protocol.Errors');

function describe(errors: readonly ErrorObject[]): string {
  return errors
    .map(({ instancePath, schemaPath, message, params }) =>
      [instancePath, message, JSON.stringify(params), schemaPath].join(' '),
    )
    .join('\n');
}

/** A JSON pointer as a fragment of a URI. */
export function pointer(...steps: readonly string[]): string {
  const escaped = steps.map((step) =>
    encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1')),
  );
  return `#/${escaped.join('/')}`;
}

/** The path of the document that a URL is an instance of, however it is spelt; null where it has none. */
function templateOf(url: string, { paths }: Document): string | null {
  const [path = ''] = url.split('?', 1);
  const target = pathOf(path.replace(/[^\u0021-\u007e]+/gu, encodeURIComponent));
  if (target === null) return null;
  const known = (...candidates: readonly string[]): string | null =>
    candidates.find((candidate) => candidate in paths) ?? null;
  switch (target.kind) {
    case 'catalog':
      return known(
        target.what === '' ? '/rest/$catalog' : `/rest/$catalog/${target.what}`,
        '/rest/$catalog/{dataclasses}',
      );
    case 'keyword':
      return known(
        ['/rest', target.keyword, target.what, target.more].filter((part) => part !== '').join('/'),
      );
    case 'dataclass': {
      const base = `/rest/${encodeURIComponent(target.name)}`;
      const { selector, segments, asksChanges = false } = target;
      if (asksChanges) return known(`${base}/$changes`);
      const at = {
        all: base,
        key: `${base}({key})`,
        keys: `${base}({key})`,
        keyList: `${base}({key})`,
        unique: `${base}:${selector.kind === 'unique' ? selector.attribute : ''}({value})`,
        entitySet: `${base}/$entityset/{id}`,
      }[selector.kind];
      if (segments.length === 0) return known(at);
      const names = segments.map((items) =>
        items
          .map((item) => [...item.names, ...(item.star ? ['*'] : [])].join('.'))
          .map(encodeURIComponent)
          .join(','),
      );
      return known(`${at}/${names.join('/')}`, `${at}/{path}`);
    }
  }
}

function pathOf(path: string): ReturnType<typeof parsePath> | null {
  if (!/^\/rest(?:\/|$)/.test(path)) return null;
  try {
    return parsePath(path.slice('/rest'.length), new ValueList());
  } catch (error) {
    if (error instanceof ProtocolError) return null;
    throw error;
  }
}

/** Those of the documents that gateways have served. */
const contracts = new Map<string, Contract>();

function contractOf(text: string): Contract {
  const known = contracts.get(text);
  if (known !== undefined) return known;
  const contract = new Contract(JSON.parse(text) as Document);
  contracts.set(text, contract);
  return contract;
}

/** A gateway each of whose answers has to fit its own document. */
export async function withContract(gateway: Gateway): Promise<Gateway> {
  const { text } = await gateway.get('/rest/$openapi');
  const contract = contractOf(text);
  return {
    ...gateway,
    get: async (url, options) => {
      const answer = await gateway.get(url, options);
      const { method = 'GET' } = options ?? {};
      const problem = contract.problem(method, url, answer);
      if (problem === null) return answer;
      throw new Error(
        `${method} ${url}\nis not answered as the OpenAPI document says: ${problem}\n${answer.text.slice(0, 2000)}`,
      );
    },
  };
}
