/** The part of highlight.js that is used. */
export declare const highlighter: {
  getLanguage(name: string): unknown;
  highlight(code: string, options: { language: string; ignoreIllegals: boolean }): { value: string };
};
