// What a program under test inherits of this process's environment: nothing but where programs are, and what Node has
// compiled already, which is most of what a start would compute.

const { PATH, NODE_COMPILE_CACHE } = process.env;

export const childEnvironment: Readonly<Record<string, string | undefined>> = {
  PATH,
  ...(NODE_COMPILE_CACHE !== undefined && { NODE_COMPILE_CACHE }),
};
