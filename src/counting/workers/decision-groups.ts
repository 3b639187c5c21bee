/**
 * Decisions about one request that a worker asks for in one turn. Each is made only if those before it in its group let
 * the request continue. Messages of a group follow each other, so only the last group is known.
 */
export class DecisionGroups {
  #group = 0;
  #continues: boolean | Promise<boolean> = true;

  /** Returns null if the request has ended before. */
  decide<Result>(
    group: number,
    make: () => Result | Promise<Result>,
    continues: (result: Result) => boolean,
  ): Result | null | Promise<Result | null> {
    if (!group) return make();
    const before = group === this.#group ? this.#continues : true;
    if (before === false) return null;
    const result = before === true ? make() : before.then((continued) => (continued ? make() : null));
    this.#group = group;
    this.#continues =
      result instanceof Promise
        ? result.then(
            (made) => made !== null && continues(made),
            () => false,
          )
        : continues(result);
    return result;
  }
}
