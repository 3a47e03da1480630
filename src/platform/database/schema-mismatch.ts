// What stops a start or a command because of the database's schema. The message is for people.

export class SchemaMismatch extends Error {
  override readonly name = 'SchemaMismatch';
}
