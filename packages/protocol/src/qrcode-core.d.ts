/** The encoder alone: the package's main entry would bring canvas and PNG code along. */
declare module 'qrcode/lib/core/qrcode.js' {
  interface Segment {
    data: string;
    mode: 'numeric' | 'alphanumeric' | 'byte';
  }
  interface Options {
    errorCorrectionLevel?: 'L' | 'M' | 'Q' | 'H';
    maskPattern?: number;
  }
  const core: {
    create(
      text: string | readonly Segment[],
      options?: Options,
    ): { modules: { size: number; get(row: number, column: number): number } };
  };
  export default core;
}
