export function greet(word: string, name: string): string {
  return `${word}, ${name}!`;
}
