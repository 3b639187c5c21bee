import { maxSuffixLength } from "../../../core/database/reversed-suffix.ts";
import { prefixRange } from "../../../lib/text/prefix-range.ts";
import { beginsAlmost, beginWords, typosIn, wordsOf } from "../../../lib/text/words.ts";
import type { Reads } from "../../../platform/storage/storage.ts";
import { maxNameWord, wordsOfConsumer } from "../../api-keys/consumers/search-words.ts";
import { bestFirst, detailOf, type Finder, maxResults, minMiddle, type Searched, type SearchMatch } from "./match.ts";
import * as store from "./store.ts";

/** Consumers with the rarest of several words that are compared with the others: if the first have all, no more are read. */
const [firstCandidates, maxCandidates] = [200, 2_000];
/** More than are returned, so that the best of them are. */
const enough = maxResults * 3;

/** Words of names with a part of a word with typos, which are compared with it. */
const maxCompared = 3_000;
const maxLike = 5;
const maxReadings = 5;

/** By words of name, tags and description, by the beginning of name and id, and by the address of a manager or its domain. */
export const findConsumers: Finder = async (reads, { account }, searched) => {
  const { text } = searched;
  const buckets = await store.keyBucketsOf(reads, account.seq);
  const path = (bucket: string, name: string) =>
    `/v1/accounts/${account.name}/key-buckets/${bucket}/consumers/${encodeURIComponent(name)}`;
  const match = ({ id, name, bucket, display_name, detail }: store.FoundRow): SearchMatch => ({
    type: "consumer",
    id,
    name,
    ...(display_name && { displayName: display_name }),
    path: path(bucket, name),
    ...detailOf(detail),
  });
  const address = text.toLowerCase().replace(/^@/, "");
  return bestFirst(searched, [
    ...(await byPrefix(reads, ["consumerNames", "consumerIds"], buckets, text)).map(match),
    ...(await byWords(reads, buckets, searched)).map(match),
    ...(await byPrefix(reads, ["managerAddresses", "managerDomains"], buckets, address)).map(match),
  ]);
};

/**
 * Consumers with the rarest of the words are compared with the others. Those that have only frequent words are found if
 * they are among the first with the rarest.
 */
async function byWords(reads: Reads, buckets: store.SearchPlaceRow[], searched: Searched): Promise<store.FoundRow[]> {
  const found: store.FoundRow[] = [];
  for (const bucket of buckets)
    for (const words of await readingsOf(reads, bucket, searched)) {
      if (found.length >= enough) break;
      found.push(...(await withWords(reads, bucket, words)));
    }
  return found;
}

async function withWords(reads: Reads, bucket: store.SearchPlaceRow, words: string[]): Promise<store.FoundRow[]> {
  const found: store.WordsRow[] = [];
  const [rarest] = words.length <= 1 ? words : await rarestFirst(reads, bucket, words);
  if (rarest !== undefined)
    for (const limit of words.length === 1 ? [enough] : [firstCandidates, maxCandidates]) {
      const rows = await store.consumersByWord(reads, bucket, prefixRange(rarest), limit);
      const matching = rows.filter((row) => beginWords(words, wordsOfConsumer(row)));
      if (matching.length < enough && rows.length === limit && limit < maxCandidates && words.length > 1) continue;
      found.push(...matching);
      break;
    }
  return found.map((row) => ({ ...row, detail: row.description }));
}

/** The words as they are, then others that may be meant, best first. */
async function readingsOf(reads: Reads, bucket: store.SearchPlaceRow, searched: Searched): Promise<string[][]> {
  const { words, hasTypos } = searched;
  const [word, ...more] = words;
  if (word === undefined) return [];
  if (hasTypos) {
    const like: string[][] = [];
    for (const each of words) like.push(await wordsLike(reads, bucket, each));
    return like.reduce<string[][]>(
      (readings, alternatives) =>
        readings.flatMap((reading) => alternatives.map((each) => [...reading, each])).slice(0, maxReadings),
      [[]],
    );
  }
  if (more.length > 0) return [words, [words.join("")]];
  const middles =
    [...word].length < minMiddle ? [] : await store.wordsByPart(reads, bucket, prefixRange(word), maxLike);
  return [words, ...middles.map((each) => [each]), ...(await splitWord(reads, bucket, word))];
}

/** Two or more words that were typed as one, such as "bluedoor": all but the last are whole. */
async function splitWord(reads: Reads, bucket: store.SearchPlaceRow, word: string): Promise<string[][]> {
  const letters = [...word];
  if (letters.length < 2 * minMiddle - 1 || letters.length > maxNameWord) return [];
  const pieces = letters.flatMap((_, start) =>
    letters.slice(start + 2, -1).map((_, length) => letters.slice(start, start + 2 + length).join("")),
  );
  const known = await store.knownWords(reads, bucket, [...new Set(pieces)]);
  const splits = (rest: string): string[][] => [
    [rest],
    ...[...known].flatMap((head) =>
      rest.startsWith(head) && rest.length > head.length + 1
        ? splits(rest.slice(head.length)).map((each) => [head, ...each])
        : [],
    ),
  ];
  return splits(word).slice(1, 1 + maxReadings);
}

/** The word if a consumer has it, otherwise the words of names that are meant by it: with two typos if none has one. */
async function wordsLike(reads: Reads, bucket: store.SearchPlaceRow, word: string): Promise<string[]> {
  if ((await store.countConsumersByWord(reads, bucket, prefixRange(word), 1)) > 0) return [word];
  const found = new Set<string>();
  for (let typos = 1; typos <= typosIn(word) && found.size === 0; typos++) {
    const compared = new Set<string>();
    for (const { start, text } of rightPieces(word, typos)) {
      const range = prefixRange(start === 0 ? `^${text}` : text);
      for (const each of await store.wordsByPart(reads, bucket, range, maxCompared)) {
        if (each.length < word.length - typos || compared.has(each)) continue;
        const at = each.indexOf(text, start - typos);
        if (at === -1 || at > start + typos) continue;
        compared.add(each);
        if (beginsAlmost(each, word, typos)) found.add(each);
      }
    }
  }
  const difference = (each: string) => Math.abs(each.length - word.length);
  return [...found].sort((one, other) => difference(one) - difference(other)).slice(0, maxLike);
}

/** With one typo, one half of the word is right, with two, one third, unless letters are swapped where they meet. */
function rightPieces(word: string, typos: number): { start: number; text: string }[] {
  const letters = [...word];
  const ends = Array.from({ length: typos + 2 }, (_, piece) => Math.round((piece * letters.length) / (typos + 1)));
  return ends.slice(1).flatMap((end, piece) => {
    const swapped = letters.with(end - 1, letters[end] ?? letters[end - 1]!);
    const texts = new Set([letters, swapped].map((each) => each.slice(ends[piece], end).join("")));
    return [...texts].map((text) => ({ start: ends[piece]!, text }));
  });
}

async function rarestFirst(reads: Reads, bucket: store.SearchPlaceRow, words: string[]): Promise<string[]> {
  const counts = new Map<string, number>();
  for (const word of words)
    counts.set(word, await store.countConsumersByWord(reads, bucket, prefixRange(word), maxCandidates));
  return words.toSorted((one, other) => counts.get(one)! - counts.get(other)!);
}

/** By id, by whole value if its hash is given, and by the end of the value, of which only what the mask shows is compared. */
export const findKeys: Finder = async (reads, { account }, searched) => {
  const { text } = searched;
  const buckets = await store.keyBucketsOf(reads, account.seq);
  const hash = /^sha256:([0-9a-f]{64})$/i.exec(text)?.[1];
  const end = text.replace(/^(\*{4}|…)/, "");
  const rows = hash
    ? await store.keysByHash(reads, buckets, Buffer.from(hash, "hex"))
    : [
        ...(await byPrefix(reads, ["keyIds"], buckets, text)),
        ...(end !== "" && end.length <= maxSuffixLength
          ? await byPrefix(reads, ["keySuffixes"], buckets, [...end].reverse().join(""))
          : []),
      ];
  return unique(rows)
    .slice(0, maxResults)
    .map(({ id, name, bucket, consumer }) => ({
      type: "key",
      id,
      name: `****${name}`,
      path: `/v1/accounts/${account.name}/key-buckets/${bucket}/consumers/${encodeURIComponent(consumer ?? "")}/keys/${id}`,
      ...detailOf(consumer),
    }));
};

/** By the customer's key, by id and by ids of other systems. Customer keys are searched as they are, and in lower case. */
export const findSubscriptions: Finder = async (reads, { account }, searched) => {
  const { text } = searched;
  const buckets = await store.meteringBucketsOf(reads, account.seq);
  const rows = await byPrefix(reads, ["customerKeys", "subscriptionIds"], buckets, text);
  rows.push(...(await store.subscriptionsByExternalId(reads, buckets, text, maxResults)));
  if (text.toLowerCase() !== text) rows.push(...(await byPrefix(reads, ["customerKeys"], buckets, text.toLowerCase())));
  return bestFirst(
    searched,
    rows.map(({ id, name, bucket, detail }) => ({
      type: "subscription",
      id,
      name,
      path: `/v1/metering/${bucket}/subscriptions/${id}`,
      ...detailOf(detail),
    })),
  );
};

/** By the beginning of the number, by its digits, such as "inv 17" for INV-000017, and by id. */
export const findInvoices: Finder = async (reads, { account }, searched) => {
  const buckets = await store.meteringBucketsOf(reads, account.seq);
  const numbers = await numbersOf(reads, account.seq, searched);
  const rows = [
    ...(await byPrefix(reads, ["invoiceNumbers"], buckets, searched.text)),
    ...(await store.invoicesOf(reads, buckets, "number", numbers)),
    ...(searched.text.startsWith("inv_") ? await store.invoicesOf(reads, buckets, "id", [searched.text]) : []),
  ];
  return bestFirst(
    searched,
    rows.map(({ id, name, bucket, consumer }) => ({
      type: "invoice",
      id,
      name: name || id,
      path: `/v1/metering/${bucket}/invoices/${id}`,
      ...detailOf(consumer),
    })),
  );
};

/** The numbers that end with the digits of the text, in the series that have its words. */
async function numbersOf(reads: Reads, accountSeq: number, { text }: Searched): Promise<string[]> {
  const [, before, digits] = /^(.*?)0*(\d{1,15})$/.exec(text) ?? [];
  if (digits === undefined) return [];
  const words = wordsOf(before!);
  const series = await store.invoiceSeriesOf(reads, accountSeq);
  return series.filter((each) => beginWords(words, wordsOf(each))).map((each) => each + digits.padStart(6, "0"));
}

async function byPrefix(
  reads: Reads,
  names: store.SearchName[],
  buckets: store.SearchPlaceRow[],
  text: string,
): Promise<store.FoundRow[]> {
  const rows: store.FoundRow[] = [];
  for (const name of names)
    rows.push(...(await store.findByPrefix(reads, name, buckets, prefixRange(text), maxResults)));
  return unique(rows);
}

/** If a resource was found twice, the first is kept. */
function unique(rows: store.FoundRow[]): store.FoundRow[] {
  return [...new Map(rows.toReversed().map((row) => [row.id, row])).values()].reverse();
}
