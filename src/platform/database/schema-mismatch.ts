// Thrown when the database's schema prevents a start or a command. The message is for users.

export class SchemaMismatch extends Error {
  override readonly name = 'SchemaMismatch';
}
