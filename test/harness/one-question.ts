// Sends one statement to a PostgreSQL server on its own connection, to look at the database from outside.

import pg from 'pg';

export async function askServer(url: string, text: string) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}
