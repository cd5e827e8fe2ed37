import { describe, expect, test } from 'vitest';
import { connectionTarget } from '../../../src/database/sqlserver/url.ts';
import { parsed, rows } from '../../rows.ts';

const pool = {
  engine: 'sqlserver',
  poolSize: 8,
  statementTimeoutSeconds: 30,
  lockTimeoutSeconds: 10,
  connectTimeoutSeconds: 15,
  startupWaitSeconds: 30,
  schemaTimeoutSeconds: 600,
} as const;

describe('connectionTarget', () => {
  test.each(rows`
    a URL | {url: mssql://sa:p%40ss@db.example:1444/Legacy%20ERP%2F%3F%23%40%25%2523?encrypt=false&trustServerCertificate=true}
      | {server: db.example, port: 1444, database: Legacy ERP/?#@%%23, user: sa, password: p@ss, options: {encrypt: false, trustServerCertificate: true, readOnlyIntent: false}}
    a URL with a named instance and a readable replica, encrypted by default | {url: sqlserver://db/erp?instanceName=SQL2016&applicationIntent=ReadOnly}
      | {server: db, database: erp, options: {encrypt: true, trustServerCertificate: false, readOnlyIntent: true, instanceName: SQL2016}}
    fields | {host: db, port: 1433, database: erp, user: sa, password: p@ss, encrypt: true, readOnlyIntent: true}
      | {server: db, port: 1433, database: erp, user: sa, password: p@ss, options: {encrypt: true, readOnlyIntent: true}}
    Entra authentication
      | {host: db.database.windows.net, database: erp, authentication: {type: azure-active-directory-service-principal-secret, clientId: id, clientSecret: secret, tenantId: tenant}}
      | {server: db.database.windows.net, database: erp, authentication: {type: azure-active-directory-service-principal-secret, options: {clientId: id, clientSecret: secret, tenantId: tenant}}, options: {}}
    Entra authentication of the user in a URL
      | {url: mssql://u%40corp:p@db/erp, hostNameInCertificate: cert.example, authentication: {type: azure-active-directory-password, clientId: id}}
      | {server: db, database: erp, user: u@corp, password: p, authentication: {type: azure-active-directory-password, options: {clientId: id, userName: u@corp, password: p}}, options: {encrypt: true, trustServerCertificate: false, readOnlyIntent: false, serverName: cert.example}}
    a SQL login by its name | {host: db, user: sa, password: p, authentication: {type: default}}
      | {server: db, user: sa, password: p, authentication: {type: default, options: {userName: sa, password: p}}, options: {}}
    Windows authentication | {host: db, instance: ERP, user: svc, password: p, authentication: {type: ntlm, domain: CORP}}
      | {server: db, user: svc, password: p, authentication: {type: ntlm, options: {domain: CORP, userName: svc, password: p}}, options: {instanceName: ERP}}
  `)('%s', (_title, config, target) => {
    expect(connectionTarget({ ...pool, ...parsed(config) })).toEqual(parsed(target));
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

  test.each(rows`
    Server=h\\SQL | {port: 1433, options: {readOnlyIntent: false, instanceName: SQL}}
    Server=h\\SQL,1444 | {port: 1444, options: {readOnlyIntent: false}}
    Server=h;Encrypt=strict | {options: {encrypt: strict, readOnlyIntent: false}}
    Server=h;Encrypt=Optional | {options: {encrypt: false, readOnlyIntent: false}}
    Server=h;Encrypt=Mandatory;Trust Server Certificate=True | {options: {encrypt: true, trustServerCertificate: true, readOnlyIntent: false}}
    Server=h;ApplicationIntent=ReadOnly | {options: {readOnlyIntent: true}}
    Server=h;Application Name=ERP | {options: {readOnlyIntent: false, appName: ERP}}
    Server=h;MultipleActiveResultSets=True;Persist Security Info=False;Pooling=true;Encrypt=no | {options: {readOnlyIntent: false, encrypt: false}}
    Server=h;HostNameInCertificate="db.example" | {options: {serverName: db.example, readOnlyIntent: false}}
    Driver={ODBC Driver 18 for SQL Server};Server=tcp:h;Uid=CORP\\u;Pwd={p;}}}; | {user: u, domain: CORP, password: 'p;}', options: {readOnlyIntent: false}}
    Server=h;Authentication=Active Directory Default | {authentication_type: default, authentication: {type: azure-active-directory-default, options: {}}, options: {readOnlyIntent: false}}
    Server=h;Authentication=ActiveDirectoryManagedIdentity;User Id=id
      | {authentication_type: default, user: id, authentication: {type: azure-active-directory-msi-vm, options: {clientId: id}}, options: {readOnlyIntent: false}}
    Server=h;Authentication=Active Directory Service Principal;User Id=id;Password=p;Tenant Id=t
      | {authentication_type: default, user: id, password: p, tenantId: t, authentication: {type: azure-active-directory-service-principal-secret, options: {clientId: id, clientSecret: p, tenantId: t}}, options: {readOnlyIntent: false}}
  `)('the connection string %s', (url, target) => {
    expect(connectionTarget({ ...pool, url })).toEqual({
      server: 'h',
      port: 1433,
      pool: {},
      ...parsed(target),
    });
  });

  test.each(rows`
    Server=h;Integrated Security=SSPI | write User Id=DOMAIN\\user and Password in its place
    Server=h;Trusted_Connection=yes | write User Id=DOMAIN\\user and Password in its place
    Server=h;Authentication=Active Directory Interactive | Authentication=Active Directory Interactive needs a person, and the gateway runs without one
    Server=h;Authentication=Active Directory Service Principal;User Id=id;Password=p | this Authentication needs Tenant Id=… in the connection string
    Server=h;Authentication=Active Directory Password;User Id=u;Password=p | this Authentication needs Client Id=… in the connection string
    Server=h;Pasword=geheim | there is no keyword Pasword. Did you mean Password?
    Server=h;Encrpt=true | there is no keyword Encrpt. Did you mean Encrypt?
    Server=h;AttachDbFilename=x | there is no keyword AttachDbFilename.
    Server=h;Encrypt=maybe | Encrypt=maybe: expected true, false, strict, Mandatory or Optional
    Server=h;TrustServerCertificate=si | TrustServerCertificate=si: expected true or false
    Server=h;ApplicationIntent=Read | ApplicationIntent=Read: expected ReadOnly or ReadWrite
    Server=h;Connect Timeout=5s | Connect Timeout=5s: expected a whole number of seconds
    Server=h;Max Pool Size=0 | Max Pool Size=0: expected a whole number from 1 on
    Server=h;Password=ge;heim=1 | what follows Password is not a keyword; a value with a ; in it needs quotes: Password="…"
    Server=h;Password=ge;heim | a part of the connection string is not a Keyword=value; a value with a ; in it
    mssql://h/d?encrpt=false | there is no parameter encrpt. Did you mean encrypt?
    mssql://h/d?encrypt=maybe | encrypt=maybe: expected true or false
  `)('%s is refused', (url, message) => {
    expect(() => connectionTarget({ ...pool, url })).toThrow(message);
  });

  test.each([
    ['mssql://u:gehe/im@h/d', '/ as %2F'],
    ['mssql://u:12#im@h/d', '# as %23'],
    ['mssql://u:12?im@h/d', '? as %3F'],
    ['mssql://u:12/i@m@h/d', '/ as %2F, @ as %40'],
    ['mssql://u:gehe%zzim@h/d', '% as %25'],
  ])('%s has to be encoded', (url, encoded) => {
    expect(() => connectionTarget({ ...pool, url })).toThrow(
      new TypeError(`user and password of a URL have to be percent-encoded: write ${encoded}`),
    );
  });

  test('a URL that is none is refused, and no part of its password is told', () => {
    const url = 'mssql://u:geheim@h\\SQL/d';
    expect(() => connectionTarget({ ...pool, url })).toThrow(
      new TypeError(
        'is not a SQL Server URL: expected mssql://user:password@host:1433/database, with % / ? # [ ] @ and : in the ' +
          'password written as %25 %2F %3F %23 %5B %5D %40 and %3A, and a named instance as ?instanceName=NAME',
      ),
    );
  });

  test.each(rows`
    mssql://h/d?encrypt=strict | {encrypt: strict, trustServerCertificate: false}
    mssql://h/d?encrypt=no&TRUSTSERVERCERTIFICATE=1 | {encrypt: false, trustServerCertificate: true}
    mssql://h:1444/d?instanceName=SQL&hostNameInCertificate=c | {encrypt: true, trustServerCertificate: false, serverName: c}
  `)('the options of %s', (url, options) => {
    expect(connectionTarget({ ...pool, url }).options).toEqual({
      readOnlyIntent: false,
      ...parsed(options),
    });
  });

  test('a port goes before a named instance', () => {
    expect(connectionTarget({ ...pool, host: 'h', port: 1444, instance: 'SQL' })).toEqual({
      server: 'h',
      port: 1444,
      options: {},
    });
  });

  test('what is neither is said to be', () => {
    expect(() => connectionTarget({ ...pool, url: 'db.example' })).toThrow(
      'neither a URL (mssql://…) nor a connection string',
    );
  });
});
