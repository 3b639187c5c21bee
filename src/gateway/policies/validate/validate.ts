import type { RouteValidation } from "../../../deployments/artifact.ts";
import type { FieldError } from "../../../problems/problem.ts";
import type { Passage, Policy } from "../../policy.ts";
import { refuse } from "../../refusal.ts";
import { BodyCheck } from "./body.ts";
import { ParameterCheck } from "./parameters.ts";

const mostErrors = 20;

/** Lets through only requests that fit their operation. Compiled at first use: most routes of most deployments rest. */
export class ValidatePolicy implements Policy {
  #parameters: ParameterCheck | undefined;
  #body: BodyCheck | undefined;

  constructor(private readonly validation: RouteValidation) {}

  enter(passage: Passage): Response | undefined | Promise<Response | undefined> {
    this.#parameters ??= new ParameterCheck(this.validation.parameters);
    const errors = this.#parameters.errors(passage);
    if (this.validation.body === undefined) return answer(passage, errors);
    this.#body ??= new BodyCheck(this.validation.body);
    return this.#enterWithBody(passage, this.#body, errors);
  }

  async #enterWithBody(passage: Passage, body: BodyCheck, errors: FieldError[]): Promise<Response | undefined> {
    const found = await body.check(passage);
    return found instanceof Response ? found : answer(passage, [...errors, ...found]);
  }
}

function answer(passage: Passage, errors: FieldError[]): Response | undefined {
  const [first] = errors;
  if (!first) return undefined;
  const detail = `${first.pointer || "the body"} ${first.detail}`;
  return refuse(passage, "request_invalid", { detail, errors: errors.slice(0, mostErrors) });
}
