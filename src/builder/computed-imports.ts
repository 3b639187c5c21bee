import { type Loader, transform } from "esbuild";

/** `import(…)` and `require(…)`, also with something between name and brace, of anything but a plain text. */
const computed =
  /\b(?:import|require)\s*(?:\.\s*\w+\s*)?(?:\?\.\s*)?\((?!\s*(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')\s*[,)])/;

/**
 * Where a module imports what it works out at run time, as an offset. esbuild would bundle everything that such an import
 * could mean, and lists the folders of the real disk to find it, whatever its plugins say: it must never see one.
 *
 * Told from the module as esbuild prints it, without comments and in one way of writing; a text that looks like such an
 * import is taken for one.
 */
export async function findComputedImport(code: string, loader: Loader): Promise<number | undefined> {
  try {
    const printed = await transform(code, {
      loader,
      target: "esnext",
      tsconfigRaw: {},
      logLevel: "silent",
      charset: "utf8",
    });
    return computed.test(printed.code) ? Math.max(0, code.search(computed)) : undefined;
  } catch {
    // It cannot be parsed: bundling will say so, and gets no further either.
    return undefined;
  }
}
