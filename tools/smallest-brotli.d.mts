export declare const smallestBrotli: (body: Buffer) => Buffer;
