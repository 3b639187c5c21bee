/** The media ranges of an Accept header in its order, in lower case, with their qualities from 0 to 1. */
export function mediaRanges(accept: string): [type: string, quality: number][] {
  return accept.split(",").map((range) => {
    const [type = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    const quality = parameters.find((parameter) => parameter.startsWith("q="));
    return [type, quality === undefined ? 1 : Number(quality.slice(2)) || 0];
  });
}
