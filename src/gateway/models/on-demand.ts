import type { ModelsHandler } from "./handler.ts";

/** The handler of models routes, loaded with the first request: most servers have none. */
export class ModelsOnDemand {
  readonly #options: ConstructorParameters<typeof ModelsHandler>;
  #loading: Promise<ModelsHandler> | undefined;
  #handler: ModelsHandler | undefined;

  constructor(...options: ConstructorParameters<typeof ModelsHandler>) {
    this.#options = options;
  }

  /** As that of the handler. */
  serve(...request: Parameters<ModelsHandler["serve"]>): ReturnType<ModelsHandler["serve"]> {
    if (this.#handler) return this.#handler.serve(...request);
    this.#loading ??= import("./handler.ts").then(({ ModelsHandler }) => new ModelsHandler(...this.#options));
    return this.#loading.then((handler) => {
      this.#handler = handler;
      return handler.serve(...request);
    });
  }
}
