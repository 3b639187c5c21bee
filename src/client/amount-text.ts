/**
 * `1,000 requests`, `1 request`: an amount with the name of its meter. Names are chosen freely and usually plurals; one
 * that is no common plural stays as it is.
 */
export function amountText(amount: number, name: string): string {
  return `${amount.toLocaleString("en-US", { maximumFractionDigits: 6 })} ${amount === 1 ? singularOf(name) : name}`;
}

function singularOf(name: string): string {
  if (/(series|species)$/i.test(name)) return name;
  if (/[rltpc]ies$/i.test(name)) return `${name.slice(0, -3)}y`;
  if (/(tch|rch|sh|ss|x)es$/i.test(name)) return name.slice(0, -2);
  return /[^sui]s$/i.test(name) ? name.slice(0, -1) : name;
}
