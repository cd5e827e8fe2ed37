import eslint from '@eslint/js';
import tseslint from 'typescript-eslint';

/**
 * The pipeline's stages in order: a stage imports only itself and what stands before it.
 * The rooms of one inner array stand side by side and do not import each other.
 */
const stages = [
  ['base'],
  ['observe'],
  ['config'],
  ['schema'],
  ['query'],
  ['sql'],
  ['database'],
  ['request'],
  ['model'],
  ['init'],
  ['plan'],
  ['values'],
  ['execute'],
  ['respond'],
  ['upload'],
  ['server'],
];

const stageRules = stages.flatMap((rooms, index) =>
  rooms.map((room) => ({
    files: [`src/${room}/**/*.ts`],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              group: [
                ...stages.slice(index + 1).flat(),
                ...rooms.filter((other) => other !== room),
              ].map((later) => `**/${later}/**`),
              message: `A stage imports only what stands before it: ${stages.flat().join(' → ')}.`,
            },
            ...(room === 'server'
              ? []
              : [{ group: ['fastify', 'fastify/*'], message: 'Only server/ knows Fastify.' }]),
            ...(room === 'database'
              ? []
              : [
                  {
                    group: ['pg', 'mssql', 'tedious', '@electric-sql/*'],
                    message: 'Only database/ knows a driver.',
                  },
                ]),
          ].filter(({ group }) => group.length > 0),
        },
      ],
    },
  })),
);

export default tseslint.config(
  { ignores: ['dist', 'coverage', 'node_modules', '.data'] },
  eslint.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [...tseslint.configs.strictTypeChecked, ...tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/consistent-type-definitions': 'off',
    },
  },
  {
    // Matchers such as expect.any() are typed as any.
    files: ['test/**/*.ts'],
    rules: { '@typescript-eslint/no-unsafe-assignment': 'off' },
  },
  ...stageRules,
);
