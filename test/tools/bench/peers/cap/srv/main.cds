/** The measured tables as they are: nothing of them is deployed, but for the views of the service. */
@cds.persistence.exists
entity employee {
  key id : Integer;
  first_name : String(40);
  last_name : String(40);
  grade : Integer;
  salary : Decimal(12,2);
  hired : Date;
  active : Boolean;
  site : String(20);
  company_id : Integer;
  ver : Integer;
}

@cds.persistence.exists
entity wide {
  key id : Integer;
  c01 : Integer;
  c02 : String(40);
  c03 : Decimal(12,2);
  c04 : Boolean;
  c05 : Date;
  c06 : String(20);
  c07 : Integer;
  c08 : String(40);
  c09 : Decimal(12,2);
  c10 : Boolean;
  c11 : Date;
  c12 : String(20);
  c13 : Integer;
  c14 : String(40);
  c15 : Decimal(12,2);
  c16 : Boolean;
  c17 : Date;
  c18 : String(20);
  c19 : Integer;
  c20 : String(40);
  c21 : Decimal(12,2);
  c22 : Boolean;
  c23 : Date;
  c24 : String(20);
  c25 : Integer;
  c26 : String(40);
  c27 : Decimal(12,2);
  c28 : Boolean;
  c29 : Date;
  c30 : String(20);
  c31 : Integer;
  c32 : String(40);
  c33 : Decimal(12,2);
  c34 : Boolean;
  c35 : Date;
  c36 : String(20);
  c37 : Integer;
  c38 : String(40);
  ver : Integer;
}

service main {
  entity employees as projection on employee;
  entity wides as projection on wide;
}
