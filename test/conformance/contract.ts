import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { ProtocolError } from '../../src/base/errors.ts';
import { componentName } from '../../src/contract/json-schema.ts';
import { type DataclassPath, parsePath } from '../../src/protocol/url/path.ts';
import { splitUrl } from '../../src/protocol/url/url.ts';
import { ValueList } from '../../src/protocol/url/literals.ts';
import type { Answer, Gateway, Sent } from '../targets/gateway.ts';

/** As much of a schema as is read here. */
interface Schema {
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
}

interface Media {
  readonly schema?: Schema;
}

interface Response {
  readonly $ref?: string;
  readonly content?: Readonly<Record<string, Media>>;
}

interface Parameter {
  readonly $ref?: string;
  readonly name?: string;
}

interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly responses: Readonly<Record<string, Response>>;
}

/** The operations of a path by their verbs, and the parameters of all of them. */
export type PathItem = Readonly<Record<string, Operation | undefined>> & {
  readonly parameters?: readonly Parameter[];
};

/** The parts of an OpenAPI document that answers are checked against. */
export interface Document {
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: {
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly responses: Readonly<Record<string, Response>>;
    readonly schemas: Readonly<Record<string, Schema>>;
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
    const target = targetOf(url);
    const found = this.#operation(method, url, target);
    if (found === null) {
      const { status, text } = answer;
      if (status < 400) return `the document has no ${method} of this path`;
      return method === 'HEAD' ? null : this.mismatch(ERRORS, JSON.parse(text));
    }
    const { path, verb, operation } = found;
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
    const body: unknown = JSON.parse(answer.text);
    const problem =
      named === 'Path' && target?.kind === 'dataclass'
        ? this.#mismatchOfPath(target, response.content[media]?.schema?.anyOf ?? [], body)
        : this.mismatch(
            makesSet(url) && named?.endsWith('.Entities') === true
              ? pointer('components', 'schemas', named.replace(/Entities$/, 'Set'))
              : `${at}/content/application~1json/schema`,
            body,
          );
    return problem === null ? null : `${method} ${path} ${status}: ${problem}`;
  }

  /** Says where a value differs from the schema at a place of the document; null where it does not. */
  mismatch(at: string, value: unknown): string | null {
    return this.#mismatch(at, { $ref: ID + at }, value);
  }

  #mismatch(name: string, schema: object, value: unknown): string | null {
    let validate = this.#compiled.get(name);
    if (validate === undefined) {
      validate = this.#ajv.compile(schema);
      this.#compiled.set(name, validate);
    }
    return validate(value) ? null : describe(validate.errors ?? []);
  }

  /** The operation of a request: the first at its path, or beside it, that has all of its parameters; if there is none, the last one, which is of any form. */
  #operation(
    method: string,
    url: string,
    target: ReturnType<typeof targetOf>,
  ): { readonly path: string; readonly verb: string; readonly operation: Operation } | null {
    if (target === null) return null;
    const names = parametersOf(url);
    const own = method === 'HEAD' ? 'get' : method.toLowerCase();
    // A read may be posted; the forms of a save are those of its POST.
    const isPostedRead = own === 'post' && names.includes('$extendedAttributes');
    const isSave = own === 'put' || own === 'patch';
    const verbs = [own, ...(isPostedRead ? ['get'] : []), ...(isSave ? ['post'] : [])];
    const { paths } = this.document;
    const found = templatesOf(target, own, paths).flatMap((path) =>
      verbs.flatMap((verb) => {
        const { [verb]: operation, parameters = [] } = paths[path] ?? {};
        if (operation === undefined) return [];
        const taken = [...parameters, ...(operation.parameters ?? [])].map(this.#named, this);
        return [{ path, verb, operation, isWhole: names.every((name) => taken.includes(name)) }];
      }),
    );
    if (!found.some(({ verb }) => verb === own)) return null;
    return found.find(({ isWhole }) => isWhole) ?? found.at(-1) ?? null;
  }

  #named({ $ref, name }: Parameter): string {
    const component = $ref?.split('/').at(-1) ?? '';
    return name ?? this.document.components.parameters[component]?.name ?? '';
  }

  /** Of a path of relations, the document says all that any may lead to: this one leads to one dataclass. */
  #mismatchOfPath(target: DataclassPath, forms: readonly Schema[], body: unknown): string | null {
    const dataclass = this.#reached(target);
    const own = forms.flatMap((form) => {
      const text = JSON.stringify(form);
      const [, whole = dataclass, of = whole] = ONE_FORM.exec(text) ?? [];
      return of === dataclass || of === 'protocol' ? [text] : [];
    });
    const text = `{"anyOf":[${own.join()}]}`.replaceAll('"#/', `"${ID}#/`);
    const gone = `,{"$ref":"${ID}#/components/schemas/protocol.UndefinedReference"}`;
    const narrow =
      target.selector.kind === 'entitySet'
        ? text
        : text.replaceAll(`${dataclass}.Set"`, `${dataclass}.Collection"`).replaceAll(gone, '');
    return this.#mismatch(narrow, JSON.parse(narrow) as object, body);
  }

  /** The component of the dataclass that the relations of a path lead to. */
  #reached({ name, segments }: DataclassPath): string {
    const { schemas } = this.document.components;
    let at = componentName(name);
    for (const item of segments.flatMap((items) => items.slice(0, 1))) {
      for (const member of item.names) {
        const { $ref, anyOf = [] } = schemas[`${at}.Relations`]?.properties?.[member] ?? {};
        const to = /schemas\/(.+)\.(?:One|Many)$/.exec($ref ?? anyOf[0]?.$ref ?? '')?.[1];
        if (to === undefined) return at;
        at = to;
      }
    }
    return at;
  }
}

/** A form of the entities of one dataclass: one, a page, or rows. */
const ONE_FORM =
  /^(?:\{"\$ref":"#\/components\/schemas\/([^".]+)\.(?:Single|Set)"\}$|\{"type":"array","items":\{"anyOf":\[\{"\$ref":"#\/components\/schemas\/([^".]+)\.Row")/;

/** Whether a request makes an entity set, of which some may be deleted before they are read: the description of the response says so. */
function makesSet(url: string): boolean {
  return /[?&]\$method=entityset(?:&|$)/.test(url);
}

/** The names of the parameters in a URL; of two names for one parameter, that of the document. */
function parametersOf(url: string): string[] {
  try {
    return splitUrl(url).parameters.map(({ name }) => SYNONYMS.get(name) ?? name);
  } catch (error) {
    if (error instanceof ProtocolError) return [];
    throw error;
  }
}

const SYNONYMS = new Map([
  ['$limit', '$top'],
  ['$atOnce', '$atomic'],
]);

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

/** What the path of a URL addresses, however it is spelt; null where it is none. */
function targetOf(url: string): ReturnType<typeof pathOf> {
  const [path = ''] = url.split('?', 1);
  return pathOf(path.replace(/[^\u0021-\u007e]+/gu, encodeURIComponent));
}

/** The paths of the document that a URL is an instance of: its own, and those of its answers in other forms. */
function templatesOf(
  target: ReturnType<typeof parsePath>,
  verb: string,
  paths: Document['paths'],
): string[] {
  const known = (...candidates: readonly string[]): string[] =>
    candidates.filter((candidate) => candidate in paths);
  switch (target.kind) {
    case 'catalog':
      return known(
        target.what === '' ? '/rest/$catalog' : `/rest/$catalog/${target.what}`,
        '/rest/$catalog/{dataclasses}',
      ).slice(0, 1);
    case 'keyword':
      return known(
        ['/rest', target.keyword, target.what, target.more].filter((part) => part !== '').join('/'),
      );
    case 'dataclass': {
      const base = `/rest/${encodeURIComponent(target.name)}`;
      const { selector, segments, asksChanges = false } = target;
      if (asksChanges) return known(`${base}/$changes`);
      const key = `${base}({key})`;
      const isSeveral = selector.kind === 'keys' || selector.kind === 'keyList';
      if (segments.length === 0) {
        if (isSeveral && verb !== 'get') return known(key);
        const keys = `${base}%5B{keys}%5D`;
        const attribute = selector.kind === 'unique' ? encodeURIComponent(selector.attribute) : '';
        return {
          all: known(base, `${base}/{path}`),
          key: known(key, keys, `${key}/{path}`),
          keys: known(keys, `${key}/{path}`),
          keyList: known(keys, `${key}/{path}`),
          unique: known(`${base}:${attribute}({value})`, keys, `${key}/{path}`),
          entitySet: known(`${base}/$entityset/{id}`, `${base}/$entityset/{id}/{path}`),
        }[selector.kind];
      }
      const isSet = selector.kind === 'entitySet';
      const at = selector.kind === 'all' ? base : isSet ? `${base}/$entityset/{id}` : key;
      const names = segments.map((items) =>
        items
          .map((item) => [...item.names, ...(item.star ? ['*'] : [])].join('.'))
          .map(encodeURIComponent)
          .join(','),
      );
      return known(...(isSeveral ? [] : [`${at}/${names.join('/')}`]), `${at}/{path}`);
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

/** A gateway each of whose answers has to fit its own document. @param headers of a user who sees everything */
export async function withContract(
  gateway: Gateway,
  headers: Sent['headers'] = {},
): Promise<Gateway> {
  const { text } = await gateway.get('/rest/$openapi', { headers });
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
