__global__ void f( { if ( ] a[threadIdx.x <<< 1 >>> ; } __global__ __global__ k<<<>>>( "
#else
#endif
#if
