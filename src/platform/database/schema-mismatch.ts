// The database's schema stops a start or a command. The message is for users.

export class SchemaMismatch extends Error {
  override readonly name = 'SchemaMismatch';
}
