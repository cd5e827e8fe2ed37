/** The mapping files of the measured data, by their names. */
export const mappings: Readonly<Record<string, string>> = {
  'company.yaml': `{dataclass: Company, table: app.company, stamp: {counter: ver}, relations: {employees: {inverse: Employee.company}},
  attributes: {ID: id, name: name, city: city, credit: credit, founded: founded}}`,
  'employee.yaml': `{dataclass: Employee, table: app.employee, stamp: {counter: ver}, attributes: {ID: id, firstName: first_name,
  lastName: last_name, grade: grade, salary: salary, hired: hired, active: active, site: site},
  relations: {company: {to: Company, foreignKey: fk_employee_company}, lines: {inverse: OrderLine.employee}}}`,
  'order-line.yaml': `{dataclass: OrderLine, table: app.order_line, stamp: {counter: ver}, attributes: {ID: id, product: product,
  quantity: quantity, price: price}, relations: {employee: {to: Employee, foreignKey: fk_line_employee}}}`,
  'entry.yaml': `{dataclass: Entry, table: app.entry, stamp: {counter: ver}, attributes: {ID: id, product: product, quantity: quantity,
  price: price}, relations: {employee: {to: Employee, foreignKey: fk_entry_employee}}}`,
  'article.yaml': `{dataclass: Article, table: app.article, stamp: hash, attributes: {ID: id, code: code, title: title, price: price,
  listed: listed, active: active}, relations: {maker: {to: Company, foreignKey: fk_article_maker},
  seller: {to: Company, foreignKey: fk_article_seller}, buyer: {to: Employee, foreignKey: fk_article_buyer}}}`,
  'wide.yaml': 'dataclass: Wide\ntable: app.wide\nstamp: { counter: ver }\n',
};
