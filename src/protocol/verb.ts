/** The verbs of HTTP that the API knows. HEAD is GET where that changes nothing (RFC 9110, 9.2.1), and refused elsewhere. */
export type Verb = Reading | 'POST' | 'PUT' | 'DELETE';

/** Those that read. */
export type Reading = 'GET' | 'HEAD';
