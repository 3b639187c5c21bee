import type { Artifact } from "../../core/artifact/artifact.ts";
import type { HttpHeaders } from "../../platform/http1/message/headers.ts";
import { errorShapeOf, type ModelErrorShape } from "../exchange/model-errors.ts";

/** The prefixes of the models routes of a version, such as `/openai/v1/`. */
export class ModelPrefixes {
  readonly #expressions: readonly RegExp[];

  constructor({ routes }: Artifact) {
    this.#expressions = routes.flatMap(({ path, target }) => {
      if (!("operation" in target) || target.operation !== "models") return [];
      const parts = path.slice(0, -"models".length).split(/\{[^{}]*\}/);
      return new RegExp(`^${parts.map((text) => RegExp.escape(text)).join("[^/]+")}`);
    });
  }

  /** The format of errors of a path without a route. Undefined if the path is below no prefix. */
  errorShape(path: string, headers: HttpHeaders): ModelErrorShape | undefined {
    for (const expression of this.#expressions) {
      const found = expression.exec(path);
      if (found) return errorShapeOf(path.slice(found[0].length), headers);
    }
    return undefined;
  }
}
