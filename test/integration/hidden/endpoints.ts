import type { RequestAst } from '../../../src/protocol/ast.ts';
import type { Guess } from './requests.ts';

/** An id that no set has. */
const SET = '0123456789ABCDEF0123456789ABCDEF0123456789ABCDEF';

/** Requests of every kind, each with what may be hidden: dataclasses, attributes, relations and rows, in every place where a request can name them or tell of them. */
export const endpoints: Readonly<Record<RequestAst['kind'], string>> = {
  catalog: `
    $catalog
    $catalog/$all
    $catalog/Ledger
    $catalog/Person
    $catalog/Person,Ledger
    HEAD $catalog/Ledger`,
  openapi: '$openapi',
  reports: '$reports',
  read: `
    Ledger
    Ledger(1)
    Leger
    HEAD Ledger
    Person(1)/ledgers
    Person?$expand=debtors
    Person?$attributes=name,ledgers.*
    Person?$filter="ledgers.amount=10"
    Person?$filter="debtors.name=x"
    Person(1)?$expand=ledgers
    Person(1)
    Person(1)/salary
    Person?$attributes=salary
    Person?$attributes=*
    Person?$filter="salary > 0"
    Person?$queryplan=true&$filter="id < 9 and owned.title > b"
    Person(1)/owned?$queryplan=true&$filter="owner.name > B"
    Person(2)/owned?$queryplan=true
    Person?$queryplan=true&$filter="debtors.name=x"
    Person?$filter="salry > 0"
    Person?$filter="details.a = 1"
    Person?$filter="boss.name = Ben"
    Person?$filter="boss = null"
    Person?$orderby=salary
    Person?$orderby=boss.name
    Person(1)/boss
    Person(1)/deputy
    Person(4)/deputed
    Person?$filter="deputed.id > 1"&$attributes=id
    Person?$expand=deputy
    Person?$attributes=deputyName
    Person(1)/photo?$expand=photo
    Person?$filter="reports.name begin A"
    Person:secret('a')
    Task?$orderby="owner.salary desc"
    Task?$attributes=owner.*
    Task(2)?$expand=owner
    Person(3)/boss/name
    Person(1)/reports
    Country?$orderby=tenant&$top=5
    Person?$top=0
    Person(2)
    Person(2)/owned
    Person(4,5,6,7)
    Person?$filter="not(id < 6)"
    Person?$orderby="id desc"&$top=2
    Person?$skip=4
    Task?$filter="owner = null"&$top=0
    Task?$orderby="owner.name desc,id"&$attributes=id,owner.name
    Task?$expand=owner&$attributes=id&$top=100
    Task(2)/owner
    Task?$attributes=owner.name,place.name&$top=50
    Draft
    Draft(1)
    Draft?$filter="person.name = Ann"
    Person(1)/drafts
    Person?$filter="drafts.words = one"&$attributes=id`,
  content: `
    Person(1)/photo?$imageformat=best&$version=1&$expand=photo
    Note(2)/picture?$imageformat=png&$expand=picture
    Task(2)/owner/photo?$imageformat=best&$expand=photo
    Person(1)/photo?$binary=true&$expand=photo
    Person:email('ann@x')/photo?$imageformat=gif&$expand=photo
    Ledger(1)/amount?$binary=true&$expand=amount
    HEAD Person(1)/photo?$imageformat=best&$expand=photo`,
  entitySet: `
    Person?$queryplan=true&$method=entityset&$filter="owned.title > a"
    Ledger?$method=entityset
    Person?$method=entityset
    Draft?$method=entityset
    Person?$filter="id > 3"&$orderby="id desc"&$method=entityset
    Person(4,5,6)?$method=entityset
    Person(2)/owned?$method=subentityset
    Person?$orderby=salary&$method=entityset
    Person/$entityset/${SET}
    Ledger/$entityset/${SET}
    Person/$entityset/${SET}?$savedfilter="salary > 1"
    Person/$entityset/${SET}?$logicOperator=AND&$otherCollection=${SET}
    Person/$entityset/${SET}?$findKey=2
    HEAD Person/$entityset/${SET}?$orderby=salary`,
  compute: `
    Ledger/amount?$compute=count
    Person/salary?$compute=$all
    Person/details.a?$compute=$all
    Person/salry?$compute=sum
    Task/owner.salary?$compute=sum
    Person/debtors.grade?$compute=sum
    Person/id?$compute=$all&$filter="salary > 0"
    Person/id?$compute=$all&$orderby=salary
    Person/id?$compute=$all
    Draft/id?$compute=$all
    Person/id?$compute=sum&$orderby="id desc"&$top=2
    Person(2)/id?$compute=count
    Person(2)/owned/id?$compute=count
    Person(4,5,6)/id?$compute=sum
    Task/owner.owned.id?$compute=$all
    Person/salary/$entityset/${SET}?$compute=sum
    Person/$entityset/${SET}/name?$compute=max
    HEAD Person/salary?$compute=sum`,
  groups: `
    Person?$groupby=salary
    Person?$groupby=country&$aggregate=sum(salary)
    Person?$groupby=country&$having="sum(salary) > 5"
    Person?$groupby=country&$orderby="max(salary)"
    Person?$groupby=country&$aggregate=count(reports),sum(reports.salary)
    Task?$groupby=owner.boss&$aggregate=count(owner),count(members)
    Person?$groupby=country&$aggregate=avg(debtors.grade),distinct(debtors.name)
    Ledger?$groupby=amount
    Person?$groupby=deputy&$aggregate=count(deputed)
    Draft?$groupby=words
    Person(1)/owned?$groupby=land
    Person(99999)/owned?$groupby=land`,
  distinct: `
    Ledger/amount?$distinct=true
    Person/salary?$distinct=true
    Country/people.secret?$distinct=true
    Person/secret?$distinct=true
    Person/id?$distinct=true&$orderby=salary
    Person/id?$distinct=true
    Draft/words?$distinct=true
    Person/id?$distinct=true&$orderby="id desc"&$top=2
    Person(2)/name?$distinct=true
    Person/owned.id?$distinct=true
    Task/owner.id?$distinct=true&$filter="id<50"
    Person/$entityset/${SET}/name?$distinct=true`,
  release: `
    Person/$entityset/${SET}?$method=release
    Ledger/$entityset/${SET}?$method=release`,
  deleteSet: `
    POST Person/$entityset/${SET}?$method=delete
    POST Person/$entityset/${SET}?$filter="salary > 1"&$method=delete
    DELETE Ledger/$entityset/${SET}`,
  save: `
    POST Ledger {"id":9,"amount":1}
    POST Person {"id":50,"email":"50@x","salary":1}
    POST Person {"__KEY":1,"__STAMP":1,"salary":1}
    POST Person {"__KEY":2,"__STAMP":1,"name":"x"}
    POST Draft {"__KEY":1,"__STAMP":1,"words":"x"}
    POST Draft {"id":3,"words":"x"}
    POST Person?$method=update [{"__KEY":2,"__STAMP":1,"name":"x"},{"details":{}}]
    POST Person(2)?$method=update {"__STAMP":1,"name":"x"}
    POST Person {"id":50,"email":"50@x","boss":{"id":51,"email":"51@x"}}
    POST Person?$refresh=true&$method=update {"id":50,"email":"50@x","reports":[{"name":"B"}]}
    POST Person(1) {"__STAMP":1,"owned":[{"__KEY":1,"__STAMP":1,"owner_id":2}]}
    POST Task(1) {"__STAMP":1,"owner":{"name":"x","salary":1}}
    POST Person(1)?$replace=ledgers {"__STAMP":1,"ledgers":[{"amount":2}]}
    POST Person?$attributes=salary {"__KEY":1,"__STAMP":1,"name":"x"}
    POST Person?$atomic=true&$filter="salary > 1" {"__KEY":1,"__STAMP":1,"name":"x"}
    POST Task {"id":50,"title":"A","owner":2}
    POST Person {"id":50,"email":"50@x","boss":1}
    POST Person {"id":50,"email":"50@x","secret":"h"}
    POST Person {"__KEY":1,"__STAMP":1,"debtors":[]}
    POST Person:secret('a')?$method=update&$atomic=true {"name":"x"}
    PUT Person(2) {"__STAMP":1,"name":"x"}`,
  delete: `
    DELETE Person(2)
    DELETE Ledger(1)
    DELETE Draft(1)
    POST Person?$method=delete [{"__KEY":2,"__STAMP":1}]
    POST Person?$filter="salary > 1"&$method=delete
    POST Ledger?$filter="amount = 10"&$method=delete
    POST Country?$filter="id > 3 and tenant = 2"&$method=delete
    POST Note?$filter="id > 8"&$method=delete`,
  attributeUpload: `
    POST Person(1)/photo?$rawPict=image/png x
    POST Note(2)/picture?$binary=true x
    POST Person(2)/name?$binary=true x
    POST Ledger(1)/amount?$binary=true x`,
  call: `
    POST $catalog/Ledger
    POST Ledger/recount
    POST Person(2)/raise
    POST Person/boss
    POST Person(1)/ledgers/recount
    POST $singleton/Ledger/recount
    Person(2)/owned?$method=subentityset&$emMethod=recount`,
  upload: 'POST $upload?$binary=true x',
  lock: `
    Person(2)?$lock=true
    Person(2)?$lock=true&__STAMP=1
    Ledger(1)?$lock=true
    Draft(1)?$lock=true
    Person:secret('a')?$lock=true`,
  directory: `
    POST $directory/login ["ada","secret"]
    $directory/currentUser
    $directory/logout`,
  info: '$info',
  reload: 'POST $info/reload',
  stamp: '$stamp',
  changes: `
    Ledger/$changes
    HEAD Ledger/$changes
    Person/$changes?$top=3
    Person/$changes?$attributes=salary
    Person/$changes?$filter="id < 9"
    Country/$changes
    Draft/$changes
    Person/$changes?$expand=ledgers`,
  changesStream: `
    $changes/stream?dataclasses=Ledger
    $changes/stream?dataclasses=Leger
    $changes/stream?dataclasses=Person,Ledger`,
};

/** All of them, with their kind. */
export const everyEndpoint = Object.entries(endpoints).flatMap(([kind, lines]) =>
  lines
    .trim()
    .split('\n')
    .map((line): Guess & { readonly kind: string } => {
      // A blank within quotes belongs to the path.
      const [, verb = 'GET', path = '', body] =
        /^(?:([A-Z]+) )?((?:"[^"]*"|[^\s"])*)(?: (.*))?$/.exec(line.trim()) ?? [];
      return { kind, verb, path, ...(body === undefined ? {} : { body }) };
    }),
);
