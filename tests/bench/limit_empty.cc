// The least any C++ program costs to start: the yardstick for start-up.
int main() { return 0; }
