// The version in package.json; a test keeps them equal.

export const programVersion = '0.2.0';
