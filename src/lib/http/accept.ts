/** The media ranges of an Accept header in its order, in lower case, with their qualities from 0 to 1. */
export function mediaRanges(accept: string): [type: string, quality: number][] {
  return accept.split(",").map((range) => {
    const [type = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    const quality = parameters.find((parameter) => parameter.startsWith("q="));
    return [type, quality === undefined ? 1 : Number(quality.slice(2)) || 0];
  });
}

/** Returns the type that an Accept header prefers. The first type is the default. */
export function preferredType<const Type extends string>(
  accept: string | null,
  types: readonly [Type, ...Type[]],
): Type {
  let best = types[0];
  let bestQuality = 0;
  for (const [range, quality] of mediaRanges(accept ?? "")) {
    const type = types.find((each) => range === "*/*" || range === each || range === each.replace(/\/.*/, "/*"));
    if (type !== undefined && quality > bestQuality) {
      best = type;
      bestQuality = quality;
    }
  }
  return best;
}
