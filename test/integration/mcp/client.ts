import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

/** The result of a tool call, as an agent reads it. */
export interface Result {
  readonly isError: boolean;
  readonly notice: string;
  readonly note: string | null;
  readonly data: unknown;
  /** As it came. */
  readonly text: string;
}

/** An agent: the SDK's own client, which talks to a gateway over HTTP. */
export class Agent {
  readonly client: Client;

  private constructor(client: Client) {
    this.client = client;
  }

  static async connect(port: number, headers: Record<string, string> = {}): Promise<Agent> {
    const client = new Client({ name: 'test', version: '1' });
    const url = new URL(`http://127.0.0.1:${port}/mcp`);
    const transport = new StreamableHTTPClientTransport(url, { requestInit: { headers } });
    await client.connect(transport);
    return new Agent(client);
  }

  async call(name: string, args: Record<string, unknown> = {}): Promise<Result> {
    const { content, isError } = await this.client.callTool({ name, arguments: args });
    const [part, ...more] = content as readonly { type: string; text: string }[];
    if (part?.type !== 'text' || more.length > 0) throw new Error('a result is one text');
    const { notice, note, data } = JSON.parse(part.text) as Partial<Result>;
    return {
      ...{ isError: isError === true, notice: notice ?? '', note: note ?? null, data },
      text: part.text,
    };
  }

  /** What a call answers, or its errors. */
  async told(name: string, args: Record<string, unknown> = {}): Promise<unknown> {
    const { isError, data } = await this.call(name, args);
    return isError ? errorsIn(data) : data;
  }

  async toolNames(): Promise<string[]> {
    return (await this.client.listTools()).tools.map(({ name }) => name);
  }

  close(): Promise<void> {
    return this.client.close();
  }
}

/** The codes and messages of an answer that is an error. */
function errorsIn(data: unknown): (readonly [number, string])[] {
  const { __ERROR: errors = [] } = data as {
    readonly __ERROR?: readonly { readonly errCode: number; readonly message: string }[];
  };
  return errors.map(({ errCode, message }) => [errCode, message]);
}
