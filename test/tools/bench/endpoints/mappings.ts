/** The mapping files of the measured data, by their names. */
export const mappings: Readonly<Record<string, string>> = {
  'company.yaml': `{dataclass: Company, table: app.company, stamp: {counter: ver}, relations: {employees: {inverse: Employee.company}},
  attributes: {ID: id, name: name, city: city, credit: credit, founded: founded}}`,
  'employee.yaml': `{dataclass: Employee, table: app.employee, stamp: {counter: ver}, attributes: {ID: id, firstName: first_name,
  lastName: last_name, grade: grade, salary: salary, hired: hired, active: active, site: site},
  relations: {company: {to: Company, foreignKey: employee_company_id}, lines: {inverse: OrderLine.employee}}}`,
  'order-line.yaml': `{dataclass: OrderLine, table: app.order_line, stamp: {counter: ver}, attributes: {ID: id, product: product,
  quantity: quantity, price: price}, relations: {employee: {to: Employee, foreignKey: order_line_employee_id}}}`,
  'entry.yaml': `{dataclass: Entry, table: app.entry, stamp: {counter: ver}, attributes: {ID: id, product: product, quantity: quantity,
  price: price}, relations: {employee: {to: Employee, foreignKey: entry_employee_id}}}`,
  'article.yaml': `{dataclass: Article, table: app.article, stamp: hash, attributes: {ID: id, code: code, title: title, price: price,
  listed: listed, active: active}, relations: {maker: {to: Company, foreignKey: article_maker_id},
  seller: {to: Company, foreignKey: article_seller_id}, buyer: {to: Employee, foreignKey: article_buyer_id}}}`,
  'wide.yaml': 'dataclass: Wide\ntable: app.wide\nstamp: { counter: ver }\n',
};
