import { describe, expect, test } from 'vitest';
import type { SqlServerConfig } from '../../src/config/config.ts';
import { connectionTarget } from '../../src/database/sqlserver-url.ts';

const pool = {
  engine: 'sqlserver',
  poolSize: 8,
  statementTimeoutSeconds: 30,
  connectTimeoutSeconds: 15,
  startupWaitSeconds: 30,
} as const;

describe('connectionTarget', () => {
  test.each<[title: string, config: Omit<SqlServerConfig, keyof typeof pool>, target: object]>([
    [
      'a URL',
      {
        url: 'mssql://sa:p%40ss@db.example:1444/Legacy%20ERP?encrypt=false&trustServerCertificate=true',
      },
      {
        server: 'db.example',
        port: 1444,
        database: 'Legacy ERP',
        user: 'sa',
        password: 'p@ss',
        options: { encrypt: false, trustServerCertificate: true, readOnlyIntent: false },
      },
    ],
    [
      'a URL with a named instance and a readable replica, encrypted by default',
      { url: 'sqlserver://db/erp?instanceName=SQL2016&applicationIntent=ReadOnly' },
      {
        server: 'db',
        database: 'erp',
        options: {
          encrypt: true,
          trustServerCertificate: false,
          readOnlyIntent: true,
          instanceName: 'SQL2016',
        },
      },
    ],
    [
      'fields',
      {
        host: 'db',
        port: 1433,
        database: 'erp',
        user: 'sa',
        password: 'p@ss',
        encrypt: true,
        readOnlyIntent: true,
      },
      {
        server: 'db',
        port: 1433,
        database: 'erp',
        user: 'sa',
        password: 'p@ss',
        options: { encrypt: true, readOnlyIntent: true },
      },
    ],
    [
      'Entra authentication',
      {
        host: 'db.database.windows.net',
        database: 'erp',
        authentication: {
          type: 'azure-active-directory-service-principal-secret',
          clientId: 'id',
          clientSecret: 'secret',
          tenantId: 'tenant',
        },
      },
      {
        server: 'db.database.windows.net',
        database: 'erp',
        authentication: {
          type: 'azure-active-directory-service-principal-secret',
          options: { clientId: 'id', clientSecret: 'secret', tenantId: 'tenant' },
        },
        options: {},
      },
    ],
    [
      'Windows authentication',
      {
        host: 'db',
        instance: 'ERP',
        user: 'svc',
        password: 'p',
        authentication: { type: 'ntlm', domain: 'CORP' },
      },
      {
        server: 'db',
        user: 'svc',
        password: 'p',
        authentication: {
          type: 'ntlm',
          options: { domain: 'CORP', userName: 'svc', password: 'p' },
        },
        options: { instanceName: 'ERP' },
      },
    ],
  ])('%s', (_title, config, target) => {
    expect(connectionTarget({ ...pool, ...config })).toEqual(target);
  });

  test('a connection string', () => {
    const url =
      'Server=db,1444;Database=erp;User Id=sa;Password=p@ss;Encrypt=true;TrustServerCertificate=true';
    expect(connectionTarget({ ...pool, url })).toMatchObject({
      server: 'db',
      port: 1444,
      database: 'erp',
      user: 'sa',
      password: 'p@ss',
      options: { encrypt: true, trustServerCertificate: true },
    });
  });

  test('what is neither is said to be', () => {
    expect(() => connectionTarget({ ...pool, url: 'db.example' })).toThrow(
      'neither a URL (mssql://…) nor a connection string',
    );
  });
});
