import { join } from 'node:path';
import { defineCommand } from './command.ts';
import { writeFiles } from './init/files.ts';
import { modelOptions, modelUsage } from './schema.ts';
import { readSeenModel } from './seen-model.ts';
import { clientText, namesOf } from './types/client-text.ts';
import { modelText } from './types/model-text.ts';

const usage = `Usage: entitygate types [options]

Writes the types of the model, and a client that uses them, in TypeScript: for browsers, Node.js and Deno.

  entitygate types --out api       writes api/client.ts and api/model.ts
  entitygate types --out api.ts    writes both into one file

Options:${modelUsage}
  --role NAME         write what users with this role see; repeat it for more roles
                      (default: everything)
  --out PATH          a folder, or a file whose name ends in .ts (default: prints one file)
  --help              show this text
`;

/** Writes the types of a model and the client that uses them. */
export const typesCommand = defineCommand({
  name: 'types',
  usage,
  options: {
    ...modelOptions,
    role: { type: 'string', multiple: true },
    out: { type: 'string' },
  },
  run: async ({ values }, io) => {
    const { config, model } = await readSeenModel(values, io);
    const { role: roles = [], out } = values;
    const client = await clientText();
    const names = namesOf(client);
    const { text, imports } = modelText(model, names);
    const written = filesOf(headOf(config.application, roles), client, text, imports);
    if (out === undefined) io.out(written.single);
    else if (out.endsWith('.ts')) {
      await writeFiles([{ path: out, text: written.single }]);
    } else {
      await writeFiles([
        { path: join(out, 'client.ts'), text: written.client },
        { path: join(out, 'model.ts'), text: written.model },
      ]);
    }
    return 0;
  },
});

function headOf(application: string, roles: readonly string[]): string {
  const seen = roles.length === 0 ? '' : `, as users with ${roles.join(' and ')} see it`;
  return `/* eslint-disable */
// Written by "entitygate types" for ${application.replace(/\s+/g, ' ')}${seen}. Changes are lost when it is written again.

`;
}

/** The texts of the files: two that belong together, and one that holds both. */
function filesOf(
  head: string,
  client: string,
  model: string,
  imports: readonly string[],
): { readonly client: string; readonly model: string; readonly single: string } {
  // Every way in which compilers and bundlers resolve modules takes .js for what is written in TypeScript.
  const imported = `import type {\n${imports.map((name) => `  ${name},\n`).join('')}} from './client.js';\n\n`;
  return {
    client: head + client,
    model: head + imported + model,
    single: `${head}${model}\n${client}`,
  };
}
