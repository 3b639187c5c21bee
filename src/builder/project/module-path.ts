/** Whether a policy's type, or a handler, names a module of the project. */
export function isModulePath(text: string): boolean {
  return /^modules\/.+\.(ts|js)$/.test(text);
}

export const modulePathText = "must be the path of a module, such as modules/hello.ts";
