#define f(x) f(x + 1)
#define A() B()
#define B() A()
#define O o
#define o O
f(f(1)); A(); O; f
(2); f(((; A(
