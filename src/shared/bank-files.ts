// Limits of bank files that are imported.

export const bankFileBytesMax = 10 * 2 ** 20;
